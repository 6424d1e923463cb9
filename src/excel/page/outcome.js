import { plainName, save } from './download.js'
import { faultsView } from './faults.js'
import { marked } from './job.js'
import { say } from './language.js'
import { refusalView, reportView } from './report.js'
import { download } from './target.js'
import { whyOf } from './words.js'

/**
 * @typedef {import('./job.js').Workbook} Workbook
 * @typedef {{ report: import('./job.js').Report } | { problem: import('./api.js').Problem }} Outcome
 */

/**
 * What came of a check or an import: a report, the faults of the workbook, or why nothing came of it.
 * @param {Outcome} outcome
 * @param {HTMLElement} place where it is shown.
 * @param {Workbook | undefined} workbook
 * @param {string | undefined} id the catalogue that is updated.
 */
export function outcomeView(outcome, place, workbook, id) {
  const tell = (/** @type {() => string} */ words) => {
    const state = place.querySelector('.download-state')
    if (state) state.textContent = words()
  }
  if ('report' in outcome)
    return reportView(outcome.report, (made) =>
      download(`catalogue/${made}`, `${say('templateName')}.xlsx`, tell)
    )
  const { problem } = outcome
  if (!problem.faults) return refusalView(problem)
  return faultsView(problem, () => workbook && downloadMarked(workbook, id, tell))
}

/**
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @param {(words: () => string) => void} tell
 */
async function downloadMarked(workbook, id, tell) {
  const name = `${say('markedName', { name: plainName(workbook.name) })}.xlsx`
  tell(() => say('downloading'))
  try {
    const bytes = await marked(workbook, id)
    if (bytes) save(bytes, name)
    tell(() => (bytes ? say('downloaded', { name }) : say('markedNone')))
  } catch (error) {
    tell(() => say('downloadFailed', { why: whyOf(error) }))
  }
}
