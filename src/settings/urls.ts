export const withoutSlash = (url: string) => url.trim().replace(/\/+$/, '')

/** The text as an http or https URL that carries no user, query or fragment. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return /[?#]/.test(text) ? undefined : url
}

/** Whether it is scheme, host and port alone. */
export const isOrigin = (text: string) => httpUrl(text)?.origin === withoutSlash(text)
