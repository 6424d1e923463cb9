import { element } from '../elements.js'
import { onLanguageChange, translate } from '../language.js'

/** @typedef {import('../job.js').Progress} Progress */

/**
 * Shows progress. Screen readers announce each phase once. The row count is not a live region,
 * since it changes too often.
 * @param {HTMLElement} container
 */
export function createProgress(container) {
  const phase = element('p', { role: 'status' })
  const bar = /** @type {HTMLProgressElement} */ (element('progress'))
  const rows = element('p', { class: 'hint' })
  container.append(phase, bar, rows)
  /** @type {Progress | undefined} */
  let shown

  function render() {
    container.hidden = shown === undefined
    bar.setAttribute('aria-label', translate('progress'))
    const text = shown ? translate(shown.phase) : ''
    if (phase.textContent !== text) phase.textContent = text
    const isCounted = shown !== undefined && shown.rows > 0
    rows.textContent = isCounted
      ? translate('rows', { rowsDone: shown?.rowsDone ?? 0, rows: shown?.rows ?? 0 })
      : ''
    if (isCounted) {
      bar.max = shown?.rows ?? 1
      bar.value = shown?.rowsDone ?? 0
    } else bar.removeAttribute('value')
  }
  onLanguageChange(render)

  return {
    /** @param {Progress} progress */
    show(progress) {
      shown = progress
      render()
    },
    end() {
      shown = undefined
      render()
    }
  }
}
