import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { idOf, NoResponseError } from '../../clients/typescript/src/index.js'
import type { ImportResult } from '../../src/excel/schemas.js'
import type { FaultInResponse } from '../../src/excel/sheets/cell-faults.js'
import { DownloadButton } from '../parts/download.js'
import { errorText, isConflict } from '../parts/errors.js'
import { language } from '../parts/language.js'
import { groupsOf } from '../parts/list.js'
import { DataTable } from '../parts/table.js'
import { ChangesView, MAX_UNFOLDED } from './changes-view.js'
import { fetchMarked, problemIn, type Uploaded, type Workbook, type WorkbookProblem } from './requests.js'
import { uploadText, uploadTextsOf } from './upload-texts.js'

export type StepName = 'check' | 'import'

/** The result of a check or an import. */
export type Outcome = Uploaded | { error: unknown }

/** The faults of a checked workbook; undefined if there are none. */
export const faultsOfOutcome = (outcome: Outcome | undefined): WorkbookProblem['faults'] =>
  outcome && 'error' in outcome ? problemIn(outcome.error)?.faults : undefined

interface OutcomeProps {
  step: StepName
  outcome: Outcome
  workbook: Workbook | undefined
  /** The catalogue to update. */
  id: string | undefined
  /** Chooses another catalogue, which the user may have intended. */
  onChoose(id: string): void
  /** Checks again. Confirms that the chosen catalogue is intended. */
  onCheck(isConfirmed: boolean): Promise<void>
}

/**
 * The outcome of a check or an import: a report, faults, or a problem. This element takes the
 * focus.
 */
export function OutcomeView(props: OutcomeProps) {
  const { outcome } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [outcome])
  const isDone = 'report' in outcome
  const problem = isDone ? undefined : (problemIn(outcome.error) ?? {})
  const title = isDone
    ? `✓ ${uploadText(outcome.report.dryRun ? 'cleanTitle' : 'importedTitle')}`
    : `✗ ${problem?.faults ? uploadText('faultsTitle', { count: problem.total ?? 0 }) : uploadText('refusedTitle')}`
  return (
    <article>
      <h3 ref={heading} tabindex={-1} class={isDone ? 'good' : 'bad'}>
        {title}
      </h3>
      {isDone ? (
        <Report report={outcome.report} />
      ) : problem?.faults ? (
        <Faults {...problem} {...props} />
      ) : (
        <Refusal {...problem} {...props} error={outcome.error} />
      )}
    </article>
  )
}

/** The changes that an import made, or would make. */
function Report({ report }: { report: ImportResult }) {
  const { dryRun, catalogueChange, created, changed, unchanged, annotations, whiteList, hiddenRows } = report
  const lines = [
    uploadText(`catalogue_${catalogueChange}`),
    uploadText('itemsCreated', { count: created }),
    uploadText('itemsChanged', { count: changed }),
    uploadText('itemsUnchanged', { count: unchanged })
  ]
  // A provider has no annotations.
  if (annotations.created + annotations.unchanged > 0) lines.push(uploadText('annotations', annotations))
  if (whiteList.created + whiteList.unchanged > 0) lines.push(uploadText('whiteList', whiteList))
  if (hiddenRows > 0) lines.push(uploadText('hiddenRows', { count: hiddenRows }))
  return (
    <>
      <p>{uploadText(dryRun ? 'cleanIntroduction' : 'importedIntroduction')}</p>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ChangesView {...report} />
    </>
  )
}

/** The faults of a workbook, and a button that downloads it with the faults marked. */
function Faults({ total = 0, faults = [], workbook, id, onCheck }: WorkbookProblem & OutcomeProps) {
  async function fetchFile() {
    const marked = workbook && (await fetchMarked(workbook, id))
    // The workbook no longer has faults.
    if (!marked) await onCheck(false)
    return marked
  }
  const heads = uploadTextsOf('faultSheet', 'faultCell', 'column', 'faultFound', 'faultDetail')
  return (
    <>
      <p>{uploadText('faultsIntroduction')}</p>
      {faults.length < total && <p>{uploadText('someShown', { shown: faults.length, total })}</p>}
      <DownloadButton
        label={uploadText('marked')}
        name={`${workbook?.name.replace(/\.xls[xm]$/i, '') ?? ''}${uploadText('markedEnding')}.xlsx`}
        fetchFile={fetchFile}
      />
      <p>
        <small>{uploadText('markedHint')}</small>
      </p>
      {groupsOf(faults, kindOf).map(([first, ...others]) => {
        const where = [first.sheet, first.column].filter(Boolean).join(', ')
        const title = `${where}: ${first.details[language.get()]}`
        return (
          <details key={title} open={others.length < MAX_UNFOLDED}>
            <summary>{`${title} (${others.length + 1})`}</summary>
            <DataTable isWide label={title} heads={heads} rows={[first, ...others].map(faultRow)} />
          </details>
        )
      })}
    </>
  )
}

/** The same fault in the same column, which the user may be able to correct at once. */
const kindOf = ({ code, sheet, column }: FaultInResponse) => [code, sheet, column].join(' ')

const faultRow = ({ sheet, cell, column, found, details }: FaultInResponse) => [
  sheet,
  cell ?? uploadText('wholeSheet'),
  column ?? '',
  found ?? uploadText('nothing'),
  details[language.get()]
]

/** Why a step failed. The user may choose another catalogue, or confirm this one. */
function Refusal(props: WorkbookProblem & OutcomeProps & { error: unknown }) {
  const { step, error, catalogue, name = '', code, onChoose, onCheck } = props
  const button = (label: string, onClick: () => void): ComponentChildren => (
    <button type="button" class="quiet" onClick={onClick}>
      {label}
    </button>
  )
  // The import may have been committed if the connection or a proxy failed.
  const isUnknown = step === 'import' && error instanceof NoResponseError
  return (
    <>
      <p>
        {isUnknown
          ? uploadText('unknownOutcome')
          : isConflict(error)
            ? uploadText('changedSince')
            : errorText(error)}
      </p>
      <div class="row">
        {catalogue !== undefined &&
          button(uploadText('chooseOther', { name }), () => onChoose(idOf(catalogue)))}
        {code === 'other-catalogue' && button(uploadText('confirmChosen'), () => void onCheck(true))}
      </div>
    </>
  )
}
