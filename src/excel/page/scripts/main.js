import { byId, showAndFocus } from './elements.js'
import { startFile } from './file.js'
import { onLanguageChange, startLanguages, translate } from './language.js'
import { toProblem } from './problem-text.js'
import { createStatusLine } from './status.js'
import { startTarget } from './target.js'
import { currentToken, onTokenChange } from './token.js'
import { startTokenForm } from './token-form.js'
import { upload } from './upload.js'
import { showCatalogue } from './views/chosen.js'
import { outcomeView } from './views/outcome.js'

/*
 * The page: access, target, workbook, check, import. A workbook is imported as it was checked and
 * for the target it was checked for. Choosing another file or target requires a new check.
 */

/**
 * @typedef {import('./upload.js').Workbook} Workbook
 * @typedef {import('./views/outcome.js').Outcome} Outcome
 */

/** @type {Workbook | undefined} */
let workbook
/** @type {{ check?: Outcome, import?: Outcome }} */
let outcomes = {}
let isRunning = false
/** Whether the user confirmed that the chosen catalogue is meant, not another with its name. */
let isConfirmed = false

const steps = {
  check: stepOf('check'),
  import: stepOf('import')
}
const target = startTarget(reset)

/** @param {'check' | 'import'} name */
function stepOf(name) {
  const button = byId(name, HTMLButtonElement)
  button.addEventListener('click', () => runStep(name))
  return {
    button,
    setStatus: createStatusLine(byId(`${name}-state`, HTMLElement)),
    result: byId(`${name}-result`, HTMLElement)
  }
}

/** Starts over after a new choice. */
function reset() {
  isConfirmed = false
  clear()
  showChosen()
}

/** Shows the catalogue that was imported, or that is chosen. */
function showChosen() {
  const made = outcomes.import && 'report' in outcomes.import ? outcomes.import.report.catalogue : null
  showCatalogue(made ?? target.address())
}

/** Clears the results. */
function clear() {
  outcomes = {}
  for (const { result } of Object.values(steps)) result.replaceChildren()
  render()
}

/**
 * The key of the reason why a step cannot run; undefined if it can.
 * @param {'check' | 'import'} name
 */
function blocker(name) {
  if (isRunning) return 'isRunning'
  if (currentToken() === undefined) return 'needsToken'
  if (!target.isChosen()) return 'needsTarget'
  if (!workbook) return 'needsFile'
  if (name === 'check') return undefined
  // After an import that failed or was lost, the catalogue may have changed.
  if (outcomes.import) return 'report' in outcomes.import ? 'isImported' : 'needsCheck'
  if (!outcomes.check) return 'needsCheck'
  if ('report' in outcomes.check) return undefined
  return outcomes.check.problem.faults ? 'needsCorrection' : 'needsCheck'
}

/** @param {'check' | 'import'} name */
function stepStatus(name) {
  const isChecked = outcomes.check && ('report' in outcomes.check || outcomes.check.problem.faults)
  return blocker(name) ?? (name === 'import' ? 'canImport' : isChecked ? 'isChecked' : 'canCheck')
}

function render() {
  for (const name of /** @type {const} */ (['check', 'import'])) {
    const { button, setStatus } = steps[name]
    // Not disabled: the button stays focusable and its status says what is missing.
    button.setAttribute('aria-disabled', String(blocker(name) !== undefined))
    setStatus(() => translate(stepStatus(name)))
  }
  byId('target', HTMLFieldSetElement).disabled = isRunning
  byId('drop', HTMLButtonElement).setAttribute('aria-disabled', String(isRunning))
}

/** Runs a check or an import. @param {'check' | 'import'} name */
async function runStep(name) {
  if (blocker(name) !== undefined || !workbook) return
  if (name === 'check') clear()
  isRunning = true
  render()
  outcomes[name] = await outcomeOf(name, workbook)
  isRunning = false
  show(name, true)
  render()
  if (name !== 'import') return
  showChosen()
  await target.load()
}

/** @param {'check' | 'import'} name @param {Workbook} sent @returns {Promise<Outcome>} */
async function outcomeOf(name, sent) {
  try {
    const options = { dryRun: name === 'check', confirm: isConfirmed }
    return { report: await upload(sent, target.id(), options) }
  } catch (error) {
    const problem = toProblem(error)
    // If the connection or a proxy failed, the import may have been committed.
    const isUnknown = name === 'import' && ['no-response', 'bad-response'].includes(problem.code)
    return { problem: isUnknown ? { code: 'unknown-outcome' } : problem }
  }
}

/** Shows the outcome of a step. @param {'check' | 'import'} name @param {boolean} isNew */
function show(name, isNew) {
  const outcome = outcomes[name]
  if (!outcome) return
  const { result } = steps[name]
  const view = outcomeView(outcome, result, workbook, target.id(), {
    choose(id) {
      if (!isRunning && target.choose(id)) steps.check.button.focus()
    },
    confirm() {
      isConfirmed = true
      void runStep('check')
    }
  })
  if (isNew) showAndFocus(result, view)
  else result.replaceChildren(view)
}

startFile(
  (chosen) => {
    workbook = chosen
    reset()
  },
  () => isRunning
)
onTokenChange(render)
onLanguageChange(() => {
  for (const name of /** @type {const} */ (['check', 'import'])) show(name, false)
  showChosen()
})
startLanguages()
startTokenForm()
render()
// Warn before leaving during an import: its outcome would not be seen.
window.addEventListener('beforeunload', (event) => isRunning && event.preventDefault())
