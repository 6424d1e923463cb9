import { isIP } from 'node:net'

/** Trims a URL and removes trailing slashes. */
export const withoutSlash = (url: string) => url.trim().replace(/\/+$/, '')

/** Parses an http or https URL without user, query and fragment. Undefined for other texts. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return /[?#]/.test(text) ? undefined : url
}

/** Whether a text is only scheme, host and port. */
export const isOrigin = (text: string) => httpUrl(text)?.origin === withoutSlash(text)

/**
 * Parses `<origin>` or `<origin>=<address>`, where `<address>` is an IP address that the host name
 * may resolve to. Undefined for other texts.
 */
export function parseTarget(text: string): { origin: string; address: string | undefined } | undefined {
  const [written = '', address] = text.trim().split(/=(.*)/)
  if (!isOrigin(written)) return undefined
  const { origin } = new URL(written)
  if (address === undefined || isIP(address) === 4) return { origin, address }
  const literal = `http://[${address}]`
  return URL.canParse(literal) ? { origin, address: new URL(literal).hostname.slice(1, -1) } : undefined
}
