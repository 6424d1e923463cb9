import { element } from './elements.js'
import { onLanguage, say } from './language.js'

/** @typedef {import('./job.js').Progress} Progress */

/**
 * Shows how far something has come. Each phase is announced once; the rows are there for who looks, since nobody wants all of
 * them read out.
 * @param {HTMLElement} place
 */
export function progressIn(place) {
  const phase = element('p', { role: 'status' })
  const bar = /** @type {HTMLProgressElement} */ (element('progress'))
  const rows = element('p', { class: 'hint' })
  place.append(phase, bar, rows)
  /** @type {Progress | undefined} */
  let shown

  function draw() {
    place.hidden = shown === undefined
    bar.setAttribute('aria-label', say('progress'))
    const text = shown ? say(shown.phase) : ''
    if (phase.textContent !== text) phase.textContent = text
    const isCounted = shown !== undefined && shown.rows > 0
    rows.textContent = isCounted
      ? say('rows', { rowsDone: shown?.rowsDone ?? 0, rows: shown?.rows ?? 0 })
      : ''
    if (isCounted) {
      bar.max = shown?.rows ?? 1
      bar.value = shown?.rowsDone ?? 0
    } else bar.removeAttribute('value')
  }
  onLanguage(draw)

  return {
    /** @param {Progress} progress */
    tell(progress) {
      shown = progress
      draw()
    },
    end() {
      shown = undefined
      draw()
    }
  }
}
