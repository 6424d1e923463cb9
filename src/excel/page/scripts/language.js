import { texts } from './texts.js'

/** @typedef {'da' | 'en'} Language */

/** @type {Language} */
let language = preferredLanguage(navigator.languages)

/** @type {Set<() => void>} */
const listeners = new Set()

/** The first supported language of the browser.
 * @param {readonly string[]} wanted
 * @returns {Language}
 */
function preferredLanguage(wanted) {
  const known = wanted
    .map((tag) => tag.toLowerCase().split('-')[0])
    .find((tag) => tag === 'da' || tag === 'en')
  return known === 'da' ? 'da' : 'en'
}

export const currentLanguage = () => language

/** @param {() => void} listener called to render texts again. */
export const onLanguageChange = (listener) => listeners.add(listener)

/**
 * A text in the current language, with its {placeholders} filled in. `count` chooses between one
 * and other.
 * @param {keyof typeof texts} key
 * @param {Record<string, string | number>} [values]
 */
export function translate(key, values = {}) {
  const text = /** @type {Record<Language, string | { one: string, other: string }>} */ (texts[key])[language]
  const form = values.count === 1 ? 'one' : 'other'
  return (typeof text === 'string' ? text : text[form]).replace(/\{(\w+)\}/g, (_, name) =>
    shown(values[name] ?? '')
  )
}

/** @param {string | number} value */
const shown = (value) => (typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value)

/** Renders all texts and starts the language switches. */
export function startLanguages() {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const switches = document.querySelectorAll('[data-language]')
  for (const each of switches)
    each.addEventListener('click', () => {
      language = each.dataset.language === 'da' ? 'da' : 'en'
      write(switches)
    })
  write(switches)
}

/** @param {NodeListOf<HTMLButtonElement>} switches */
function write(switches) {
  document.documentElement.lang = language
  for (const each of switches) each.setAttribute('aria-pressed', String(each.dataset.language === language))
  for (const each of document.querySelectorAll('[data-text]'))
    each.textContent = translate(keyOf(each.getAttribute('data-text')))
  for (const each of document.querySelectorAll('[data-label]'))
    each.setAttribute('aria-label', translate(keyOf(each.getAttribute('data-label'))))
  for (const listener of listeners) listener()
}

/** @param {string | null} name */
const keyOf = (name) => /** @type {keyof typeof texts} */ (name)
