import { createStore } from './store.js'

export type Language = 'en' | 'da'

/** The language of the page: at first that of its HTML, which the server chose. */
export const language = createStore<Language>(document.documentElement.lang === 'da' ? 'da' : 'en')

/** The locale of dates and numbers. */
export const locale = (): string => (language.get() === 'da' ? 'da-DK' : 'en-GB')

/** Changes the language without reloading the page. Only the URL stores it. */
export function setLanguage(chosen: Language): void {
  const url = new URL(location.href)
  url.searchParams.set('language', chosen)
  history.replaceState(history.state, '', url)
  document.documentElement.lang = chosen
  language.set(chosen)
}
