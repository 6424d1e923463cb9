import { leeway, unauthorized } from './claims.js'
import type { Members } from './read.js'

/** The last second of the year 9999: a later date is one in milliseconds, or none. */
const last = 253_402_300_799
/** The dates of a token, and how each is written: readers differ on exponents. */
const dates = ['exp', 'nbf', 'iat'].map(
  (name) => [name, new RegExp(`"${name}"\\s*:\\s*\\d+(\\.\\d+)?\\s*[,}]`)] as const
)

/**
 * Holds the dates of a token against the clock, with the leeway to both sides.
 * @param text the claims as they were sent.
 * @returns when the token expires, without the leeway; milliseconds since 1970, as `now` is.
 * @throws Problem `unauthorized` when it has expired, or never will, is not valid yet, or comes from the future.
 */
export function checkDates(claims: Members, text: string, now: number): number {
  for (const [name, inDigits] of dates) {
    const date = claims[name]
    if (date === undefined) continue
    const isDate = typeof date === 'number' && date <= last && inDigits.test(text)
    if (!isDate) throw unauthorized(`The token’s ${name} is no date.`)
  }
  const { exp, nbf = 0, iat = 0 } = claims as Partial<Record<'exp' | 'nbf' | 'iat', number>>
  const second = Math.floor(now / 1000)
  if (exp === undefined) throw unauthorized('The token never expires.')
  if (exp <= second - leeway) throw unauthorized('The token has expired.')
  if (nbf > second + leeway) throw unauthorized('The token is not valid yet.')
  if (iat > second + leeway) throw unauthorized('The token is from the future.')
  return exp * 1000
}
