import { startAccess } from './access.js'
import { byId, showAndFocus } from './elements.js'
import { startFile } from './file.js'
import { run } from './job.js'
import { onLanguage, say, startLanguages } from './language.js'
import { outcomeView } from './outcome.js'
import { progressIn } from './progress.js'
import { statusIn } from './status.js'
import { startTarget } from './target.js'
import { currentToken, onToken } from './token.js'
import { problemIn } from './words.js'

/*
 * The page: access, what the workbook is for, the workbook, its check, its import. A workbook is imported as it was checked, for
 * what it was checked for; whatever is chosen anew is to be checked anew.
 */

/**
 * @typedef {import('./job.js').Workbook} Workbook
 * @typedef {import('./outcome.js').Outcome} Outcome
 */

/** @type {Workbook | undefined} */
let workbook
/** What came of the check, and of the import. @type {{ check?: Outcome, import?: Outcome }} */
let outcomes = {}
let isRunning = false

const steps = {
  check: stepOf('check'),
  import: stepOf('import')
}
const target = startTarget(startAnew)

/** @param {'check' | 'import'} name */
function stepOf(name) {
  const button = byId(name, HTMLButtonElement)
  button.addEventListener('click', () => take(name))
  return {
    button,
    tell: statusIn(byId(`${name}-state`, HTMLElement)),
    progress: progressIn(byId(`${name}-progress`, HTMLElement)),
    result: byId(`${name}-result`, HTMLElement)
  }
}

/** Forgets what was checked: something else is chosen. */
function startAnew() {
  outcomes = {}
  for (const { result } of Object.values(steps)) result.replaceChildren()
  draw()
}

/** Why a step cannot be taken; nothing where it can. @param {'check' | 'import'} name */
function hindrance(name) {
  if (isRunning) return 'isRunning'
  if (currentToken() === undefined) return 'needsToken'
  if (!target.isChosen()) return 'needsTarget'
  if (!workbook) return 'needsFile'
  if (name === 'check') return undefined
  // After an import that failed, or whose end nobody saw, much may be otherwise.
  if (outcomes.import) return 'report' in outcomes.import ? 'isImported' : 'needsCheck'
  if (!outcomes.check) return 'needsCheck'
  if ('report' in outcomes.check) return undefined
  return outcomes.check.problem.faults ? 'needsCorrection' : 'needsCheck'
}

/** @param {'check' | 'import'} name */
function standing(name) {
  const isChecked = outcomes.check && ('report' in outcomes.check || outcomes.check.problem.faults)
  return hindrance(name) ?? (name === 'import' ? 'canImport' : isChecked ? 'isChecked' : 'canCheck')
}

function draw() {
  for (const name of /** @type {const} */ (['check', 'import'])) {
    const { button, tell } = steps[name]
    // Not disabled: it stays within reach of the keyboard and says what is missing.
    button.setAttribute('aria-disabled', String(hindrance(name) !== undefined))
    tell(() => say(standing(name)))
  }
  byId('target', HTMLFieldSetElement).disabled = isRunning
  byId('drop', HTMLButtonElement).setAttribute('aria-disabled', String(isRunning))
}

/** Checks or imports. @param {'check' | 'import'} name */
async function take(name) {
  if (hindrance(name) !== undefined || !workbook) return
  if (name === 'check') startAnew()
  isRunning = true
  draw()
  outcomes[name] = await outcomeOf(name, workbook)
  steps[name].progress.end()
  isRunning = false
  show(name, true)
  draw()
  if (name === 'import') await target.load()
}

/** @param {'check' | 'import'} name @param {Workbook} sent @returns {Promise<Outcome>} */
async function outcomeOf(name, sent) {
  try {
    return { report: await run(sent, target.id(), name === 'check', steps[name].progress.tell) }
  } catch (error) {
    const problem = problemIn(error)
    // What was under way when the connection broke, before or behind a proxy, may have been done.
    const isUnknown = name === 'import' && ['no-answer', 'odd-answer'].includes(problem.code)
    return { problem: isUnknown ? { code: 'unknown-outcome' } : problem }
  }
}

/** Shows what came of a step. @param {'check' | 'import'} name @param {boolean} isNew */
function show(name, isNew) {
  const outcome = outcomes[name]
  if (!outcome) return
  const { result } = steps[name]
  const view = outcomeView(outcome, result, workbook, target.id())
  if (isNew) showAndFocus(result, view)
  else result.replaceChildren(view)
}

startFile(
  (chosen) => {
    workbook = chosen
    startAnew()
  },
  () => isRunning
)
onToken(draw)
onLanguage(() => {
  for (const name of /** @type {const} */ (['check', 'import'])) show(name, false)
})
startLanguages()
startAccess()
draw()
// Whoever leaves while something is written does not learn what came of it.
window.addEventListener('beforeunload', (event) => isRunning && event.preventDefault())
