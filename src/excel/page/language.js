import { danish } from './danish.js'
import { texts } from './texts.js'

/** @typedef {'da' | 'en'} Language */

/** @type {Language} */
let language = firstOf(navigator.languages)

/** @type {Set<() => void>} */
const listeners = new Set()

/** The first of the reader's languages that is one of ours.
 * @param {readonly string[]} wanted
 * @returns {Language}
 */
function firstOf(wanted) {
  const known = wanted
    .map((tag) => tag.toLowerCase().split('-')[0])
    .find((tag) => tag === 'da' || tag === 'en')
  return known === 'da' ? 'da' : 'en'
}

export const currentLanguage = () => language

/** @param {() => void} listener what draws texts anew. */
export const onLanguage = (listener) => listeners.add(listener)

/**
 * A text in the reader's language, its {placeholders} filled in; one that counts chooses its form by `count`.
 * @param {keyof typeof texts} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  const text = /** @type {Record<Language, string | { one: string, other: string }>} */ (texts[key])[language]
  const form = values.count === 1 ? 'one' : 'other'
  return (typeof text === 'string' ? text : text[form]).replace(/\{(\w+)\}/g, (_, name) =>
    shown(values[name] ?? '')
  )
}

/** @param {string | number} value */
const shown = (value) => (typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value)

/**
 * What a code of the server means, for readers of Danish; the server itself speaks English.
 * @param {string} code
 * @returns {string | undefined}
 */
export const inDanish = (code) =>
  language === 'da' && Object.hasOwn(danish, code) ? danish[code] : undefined

/** Writes every text of the page in the reader's language, and lets them choose another. */
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
    each.textContent = say(keyOf(each.getAttribute('data-text')))
  for (const each of document.querySelectorAll('[data-label]'))
    each.setAttribute('aria-label', say(keyOf(each.getAttribute('data-label'))))
  for (const listener of listeners) listener()
}

/** @param {string | null} name */
const keyOf = (name) => /** @type {keyof typeof texts} */ (name)
