import { onLanguageChange } from './language.js'

/**
 * A status line that is rendered again when the language changes.
 * @param {HTMLElement} container a live region.
 */
export function createStatusLine(container) {
  let words = () => ''
  const render = () => {
    // An unchanged text is not announced again.
    if (container.textContent !== words()) container.textContent = words()
  }
  onLanguageChange(render)
  /** @param {() => string} next */
  return (next) => {
    words = next
    render()
  }
}
