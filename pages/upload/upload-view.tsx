import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { access } from '../parts/access/access.js'
import { metaContent } from '../parts/calls.js'
import { useDraft } from '../parts/drafts.js'
import { StatusText } from '../parts/errors.js'
import { useStore } from '../parts/store.js'
import { useCall } from '../parts/use-call.js'
import { CatalogueSection } from './catalogue-section.js'
import { FileSection, useWorkbook } from './file-section.js'
import { faultsOfOutcome, type Outcome, OutcomeView, type StepName } from './outcome-view.js'
import { loadTargets, upload, type Workbook } from './requests.js'
import { TargetSection } from './target-section.js'
import { uploadText } from './upload-texts.js'

/*
 * Access, target, workbook, check, import. A workbook is imported only with the content and for the
 * target that were checked. Choosing another file or target requires a new check.
 */

type Outcomes = Partial<Record<StepName, Outcome>>

/** The outcomes of the steps for a catalogue. */
interface Taken {
  id?: string | undefined
  /** Whether the user confirmed that this catalogue is intended. */
  isConfirmed?: boolean
  outcomes: Outcomes
}
const none: Taken = { outcomes: {} }

interface UploadViewProps {
  /** The content for a user without catalogues. */
  instead?: ComponentChildren
  /** The owner of the workbook and the catalogues, if the owner may change; null while unknown. */
  owner?: string | null
  /** Whether the token may belong to another owner. No step runs meanwhile. */
  isOwnerStale?: boolean
}

/**
 * Sends a workbook step by step. The workbook and the outcomes stay while another view is shown.
 */
export function UploadView({ instead, owner = '', isOwnerStale = false }: UploadViewProps) {
  const token = useStore(access.current)
  const [target = '', setTarget] = useDraft<string>(`upload target ${owner}`)
  const [workbook, setWorkbook] = useWorkbook(owner)
  const [taken = none, setTaken] = useDraft<Taken>(`upload outcomes ${owner}`)
  const [isRunning = false, setRunning] = useDraft<boolean>('upload running')
  const checkButton = useRef<HTMLButtonElement>(null)
  const isLocked = isRunning || isOwnerStale
  const canLoad = token !== undefined && owner !== null && !isOwnerStale
  const call = useCall(canLoad ? loadTargets : undefined, [owner], [token, canLoad])
  // The targets of another owner are not shown.
  const targets = call.isStale ? { ...call, data: undefined } : call
  const isTarget = (wanted: string) => targets.data?.catalogues.some((each) => each.id === wanted) ?? false
  /** The catalogue to update, also until the targets are loaded; undefined for a new one. */
  const id = !targets.data || isTarget(target) ? target || undefined : undefined
  const { outcomes, isConfirmed = false } = taken.id === id ? taken : none
  const imported = outcomes.import && 'report' in outcomes.import ? outcomes.import.report : undefined
  const address = imported?.catalogue ?? (id === undefined ? undefined : metaContent('catalogue-url') + id)
  // An import may have ended while another view was shown.
  useEffect(() => {
    if (taken.outcomes.import) targets.reload()
  }, [taken.outcomes.import])

  // A new choice starts over.
  function choose(next: string) {
    setTarget(next)
    setTaken(none)
  }
  function chooseFile(next: Workbook | undefined) {
    setWorkbook(next)
    setTaken(none)
  }

  /** The reason why a step cannot run; undefined if it can. */
  function blocker(step: StepName) {
    if (isRunning) return 'isRunning'
    if (token === undefined) return 'needsToken'
    if (id === undefined && targets.data?.canCreate === false) return 'needsCatalogue'
    if (!workbook) return 'needsFile'
    // The outcome is stored for the owner.
    if (owner === null || isOwnerStale) return 'isRunning'
    if (step === 'check') return undefined
    // After an import that failed or was lost, the catalogue may have changed.
    if (outcomes.import) return imported ? 'isImported' : 'needsCheck'
    if (outcomes.check && 'report' in outcomes.check) return undefined
    return faultsOfOutcome(outcomes.check) ? 'needsCorrection' : 'needsCheck'
  }
  function stepState(step: StepName) {
    const isChecked = outcomes.check && ('report' in outcomes.check || faultsOfOutcome(outcomes.check))
    return blocker(step) ?? (step === 'import' ? 'canImport' : isChecked ? 'isChecked' : 'canCheck')
  }

  async function run(step: StepName, confirmed = isConfirmed) {
    if (blocker(step) !== undefined || !workbook) return
    const earlier = step === 'check' ? {} : outcomes
    const take = (next: Outcomes) => setTaken({ id, isConfirmed: confirmed, outcomes: next })
    take(earlier)
    setRunning(true)
    // Without the page, no user sees the outcome.
    window.addEventListener('beforeunload', preventDefault)
    const query = { dryRun: String(step === 'check'), ...(confirmed && { confirm: 'true' }) }
    const etag = earlier.check && 'etag' in earlier.check ? earlier.check.etag : null
    const outcome = await upload(workbook, id, query, etag).catch((error: unknown) => ({ error }))
    window.removeEventListener('beforeunload', preventDefault)
    setRunning(false)
    take({ ...earlier, [step]: outcome })
  }

  const stepView = (step: StepName) => {
    const outcome = outcomes[step]
    return (
      <section class="card step" aria-labelledby={`${step}-title`}>
        <h2 id={`${step}-title`}>{uploadText(step === 'check' ? 'checkTitle' : 'importTitle')}</h2>
        {step === 'check' && <p>{uploadText('checkHint')}</p>}
        {/* Not disabled: the button stays focusable and its state says what is missing. */}
        <button
          type="button"
          id={step}
          ref={step === 'check' ? checkButton : null}
          aria-disabled={blocker(step) !== undefined}
          aria-describedby={`${step}-state`}
          onClick={() => run(step)}
        >
          {uploadText(step)}
        </button>
        <StatusText id={`${step}-state`} text={uploadText(stepState(step))} />
        <div id={`${step}-result`}>
          {outcome && (
            <OutcomeView
              {...{ step, outcome, workbook, id }}
              onChoose={(other) => {
                if (isLocked || !isTarget(other)) return
                choose(other)
                checkButton.current?.focus()
              }}
              onCheck={(confirmed) => run('check', confirmed)}
            />
          )}
        </div>
      </section>
    )
  }
  const hasNothing = targets.data?.canCreate === false && targets.data.catalogues.length === 0
  if (hasNothing)
    return (
      <div class="card empty">
        <p role="status">{uploadText(targets.data?.canUpload ? 'nothingAdministered' : 'noUploads')}</p>
        {instead}
      </div>
    )
  return (
    <>
      <p>{uploadText('introduction')}</p>
      <TargetSection
        {...{ id: id ?? '', targets, hasToken: token !== undefined, isLocked }}
        onChoose={choose}
      />
      <FileSection workbook={workbook} isLocked={isLocked} onChoose={chooseFile} />
      {stepView('check')}
      {stepView('import')}
      {address !== undefined && !isOwnerStale && (
        <CatalogueSection key={imported?.import ?? address} address={address} />
      )}
    </>
  )
}

/** Warns before leaving, as a listener of `beforeunload`. */
const preventDefault = (event: Event) => event.preventDefault()
