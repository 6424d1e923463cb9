import { onLanguage } from './language.js'

/**
 * A line that says how something stands, in the language that the reader has by then.
 * @param {HTMLElement} place a live region.
 */
export function statusIn(place) {
  let words = () => ''
  const draw = () => {
    // What has not changed is not announced again.
    if (place.textContent !== words()) place.textContent = words()
  }
  onLanguage(draw)
  /** @param {() => string} next */
  return (next) => {
    words = next
    draw()
  }
}
