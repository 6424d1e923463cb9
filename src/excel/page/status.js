import { onLanguageChange } from './language.js'

/**
 * A status line that is rendered again when the language changes.
 * @param {HTMLElement} place a live region.
 */
export function createStatusLine(place) {
  let words = () => ''
  const render = () => {
    // An unchanged text is not announced again.
    if (place.textContent !== words()) place.textContent = words()
  }
  onLanguageChange(render)
  /** @param {() => string} next */
  return (next) => {
    words = next
    render()
  }
}
