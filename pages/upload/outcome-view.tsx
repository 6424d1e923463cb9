import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { idOf } from '../../clients/typescript/src/index.js'
import type { ImportResult } from '../../src/excel/schemas.js'
import { language } from '../parts/language.js'
import { DataTable } from '../parts/table.js'
import { ChangesView } from './changes-view.js'
import { useDownload, workbookName } from './download.js'
import { faultsIn, type Outcome } from './outcome.js'
import { fetchMarked, fetchWorkbook, type Workbook, type WorkbookProblem } from './requests.js'
import { uploadText, uploadTextsOf } from './upload-texts.js'

interface OutcomeProps {
  outcome: Outcome
  workbook: Workbook | undefined
  /** The catalogue to update. */
  id: string | undefined
  /** Chooses another catalogue, which may be meant. */
  onChoose(id: string): void
  /** Confirms that the chosen catalogue is meant. */
  onConfirm(): void
}

/** The outcome of a check or an import: a report, faults, or a problem. It takes the focus. */
export function OutcomeView(props: OutcomeProps) {
  const { outcome } = props
  const faults = faultsIn(outcome)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [outcome])
  const title =
    'report' in outcome
      ? `✓ ${uploadText(outcome.report.dryRun ? 'cleanTitle' : 'importedTitle')}`
      : `✗ ${faults ? uploadText('faultsTitle', { count: faults.total ?? 0 }) : uploadText('refusedTitle')}`
  return (
    <article>
      <h3 ref={heading} tabindex={-1} class={'report' in outcome ? 'good' : 'bad'}>
        {title}
      </h3>
      {'report' in outcome ? (
        <Report report={outcome.report} />
      ) : faults ? (
        <Faults {...faults} {...props} />
      ) : (
        <Refusal text={outcome.text()} problem={outcome.problem} {...props} />
      )}
    </article>
  )
}

/** The changes that an import made, or would make. */
function Report({ report }: { report: ImportResult }) {
  const { dryRun, catalogueChange, created, changed, unchanged, annotations, whiteList, catalogue } = report
  const [downloadState, download] = useDownload()
  const did = dryRun ? 'will' : 'did'
  const lines = [
    uploadText(`${did}_catalogue_${catalogueChange}`),
    uploadText(`${did}Create`, { count: created }),
    uploadText(`${did}Change`, { count: changed }),
    uploadText('itemsSame', { count: unchanged })
  ]
  // A provider has no annotations.
  if (annotations.created + annotations.unchanged > 0)
    lines.push(
      uploadText(`${did}Annotate`, { count: annotations.created }),
      uploadText('annotationsSame', { count: annotations.unchanged })
    )
  if (whiteList.created + whiteList.unchanged > 0)
    lines.push(
      uploadText(`${did}List`, { count: whiteList.created }),
      uploadText('listedSame', { count: whiteList.unchanged })
    )
  // A click downloads with the token, which a plain link cannot send. The URL is for copying.
  const open = (event: MouseEvent, address: string) => {
    event.preventDefault()
    return download(workbookName(uploadText('templateName')), () =>
      fetchWorkbook(`catalogue/${idOf(address)}`)
    )
  }
  return (
    <>
      <p>{uploadText(dryRun ? 'cleanIntroduction' : 'importedIntroduction')}</p>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ChangesView {...report} />
      {!dryRun && catalogue !== null && (
        <a href={catalogue} onClick={(event) => open(event, catalogue)}>
          {uploadText('catalogueLink')}
        </a>
      )}
      <p role="status">{downloadState}</p>
    </>
  )
}

/** The faults of a workbook, and a button that downloads it with the faults marked. */
function Faults({ total = 0, faults = [], workbook, id }: WorkbookProblem & OutcomeProps) {
  const [downloadState, download] = useDownload()
  const marked = (file: Workbook) =>
    download(workbookName(file.name, uploadText('markedEnding')), () => fetchMarked(file, id), ['markedNone'])
  const heads = uploadTextsOf('faultSheet', 'faultCell', 'column', 'faultFound', 'faultDetail')
  const rows = faults.map(({ sheet, cell, column, found, details }) => [
    sheet,
    cell ?? uploadText('wholeSheet'),
    column ?? '',
    found ?? uploadText('nothing'),
    details[language.get()]
  ])
  return (
    <>
      <p>{uploadText('faultsIntroduction')}</p>
      {faults.length < total && <p>{uploadText('someShown', { shown: faults.length, total })}</p>}
      <button type="button" class="quiet" onClick={() => workbook && marked(workbook)}>
        {uploadText('marked')}
      </button>
      <p>
        <small>{uploadText('markedHint')}</small>
      </p>
      <p role="status">{downloadState}</p>
      <DataTable label={uploadText('faultsTable')} heads={heads} rows={rows} />
    </>
  )
}

/** The problem of a failed step. The user may choose another catalogue, or confirm this one. */
function Refusal({
  text,
  problem,
  onChoose,
  onConfirm
}: OutcomeProps & { text: string; problem: WorkbookProblem | undefined }) {
  const button = (label: string, onClick: () => void): ComponentChildren => (
    <button type="button" class="quiet" onClick={onClick}>
      {label}
    </button>
  )
  const { catalogue, name = '', code } = problem ?? {}
  return (
    <>
      <p>{text}</p>
      <div class="row">
        {catalogue !== undefined &&
          button(uploadText('chooseOther', { name }), () => onChoose(idOf(catalogue)))}
        {code === 'other-catalogue' && button(uploadText('confirmChosen'), onConfirm)}
      </div>
    </>
  )
}
