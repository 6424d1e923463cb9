/** Parses `Retry-After`: seconds or an HTTP date. Undefined for other texts. */
export function parseRetryAfterMs(text: string | string[] | undefined, now = Date.now()): number | undefined {
  if (typeof text !== 'string') return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
