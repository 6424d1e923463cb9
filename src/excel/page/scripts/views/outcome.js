import { safeFileName, save } from '../download.js'
import { translate } from '../language.js'
import { describeError } from '../problem-text.js'
import { download } from '../target.js'
import { fetchMarked } from '../upload.js'
import { faultsView } from './faults.js'
import { problemView, reportView } from './report.js'

/**
 * @typedef {import('../upload.js').Workbook} Workbook
 * @typedef {{ report: import('../upload.js').Report } | { problem: import('../api.js').Problem }}
 *   Outcome
 */

/**
 * Shows the outcome of a check or an import: a report, the faults, or the problem.
 * @param {Outcome} outcome
 * @param {HTMLElement} container where it is shown.
 * @param {Workbook | undefined} workbook
 * @param {string | undefined} id the catalogue to update.
 * @param {import('./report.js').Choices} choices
 */
export function outcomeView(outcome, container, workbook, id, choices) {
  const setStatus = (/** @type {() => string} */ words) => {
    const state = container.querySelector('.download-state')
    if (state) state.textContent = words()
  }
  if ('report' in outcome)
    return reportView(outcome.report, (made) =>
      download(`catalogue/${made}`, `${translate('templateName')}.xlsx`, setStatus)
    )
  const { problem } = outcome
  if (!problem.faults) return problemView(problem, choices)
  return faultsView(problem, () => workbook && downloadMarked(workbook, id, setStatus))
}

/**
 * @param {Workbook} workbook
 * @param {string | undefined} id
 * @param {(words: () => string) => void} setStatus
 */
async function downloadMarked(workbook, id, setStatus) {
  const name = `${translate('markedName', { name: safeFileName(workbook.name) })}.xlsx`
  setStatus(() => translate('downloading'))
  try {
    const bytes = await fetchMarked(workbook, id)
    if (bytes) save(bytes, name)
    setStatus(() => (bytes ? translate('downloaded', { name }) : translate('markedNone')))
  } catch (error) {
    setStatus(() => translate('downloadFailed', { why: describeError(error) }))
  }
}
