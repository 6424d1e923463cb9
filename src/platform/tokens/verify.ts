import { jwtVerify } from 'jose'
import { algorithms } from './algorithms.js'
import { leeway, unauthorized } from './claims.js'
import type { IssuerKeys } from './issuer-keys.js'
import type { KeyName, KeySet } from './key-set.js'
import { bytesOf, type Members, readToken } from './read.js'

export interface VerifierOptions {
  /** The keys of each trusted issuer, by its name. */
  issuers: ReadonlyMap<string, IssuerKeys>
  audience: string | undefined
  now: () => number
}

/** A token that holds, and what that rests on. */
export interface VerifiedToken {
  claims: Members
  /** Milliseconds since 1970. */
  expiresAt: number
  issuer: IssuerKeys
  keys: KeySet
}

/** The last second of the year 9999: a later date is one in milliseconds, or none. */
const lastDate = 253_402_300_799
/** The dates of a token, and how each is written: readers differ on exponents. */
const dates = ['exp', 'nbf', 'iat'].map(
  (name) => [name, new RegExp(`"${name}"\\s*:\\s*\\d+(\\.\\d+)?\\s*[,}]`)] as const
)

/**
 * Makes the function that verifies tokens: signature, `iss`, `exp`, `nbf`, `iat`, `aud`. Keys are those of the trusted issuers alone,
 * never any that the token itself brings or points at.
 */
export function tokenVerifier({ issuers, audience, now }: VerifierOptions) {
  /** @throws Problem `unauthorized`, or `token-issuer-unavailable` when keys cannot be had. */
  return async function verify(token: string): Promise<VerifiedToken> {
    const { header, claims, text } = readToken(token)
    bytesOf(token.slice(token.lastIndexOf('.') + 1))
    const name = keyName(header)
    const issuer = issuerOf(claims)
    checkDates(claims, text, now())
    const found = await issuer.keys.find(name)
    if (!found) throw unauthorized('The token is not signed with a key of its issuer.')
    try {
      await jwtVerify(token, found.key, {
        algorithms: [name.alg],
        issuer: issuer.name,
        ...(audience === undefined ? {} : { audience }),
        clockTolerance: leeway,
        requiredClaims: ['exp', 'iss', 'user_type'],
        currentDate: new Date(now())
      })
    } catch (cause) {
      throw unauthorized('The token is not valid.', cause)
    }
    return { claims, expiresAt: Number(claims.exp) * 1000, issuer: issuer.keys, keys: found.keys }
  }

  function issuerOf({ iss }: Members) {
    const keys = typeof iss === 'string' ? issuers.get(iss) : undefined
    if (typeof iss !== 'string' || !keys) throw unauthorized('The token’s issuer is not trusted.')
    return { name: iss, keys }
  }
}

/** What jose leaves open: it takes any number for a date, and looks at no `iat`. */
function checkDates(claims: Members, text: string, now: number): void {
  for (const [name, inDigits] of dates) {
    const date = claims[name]
    if (date === undefined) continue
    const isDate = typeof date === 'number' && date <= lastDate && inDigits.test(text)
    if (!isDate) throw unauthorized(`The token’s ${name} is no date.`)
  }
  if (Number(claims.iat ?? 0) > now / 1000 + leeway) throw unauthorized('The token is from the future.')
}

/** @throws Problem `unauthorized` when the header asks for something that is not offered. */
function keyName(header: Members): KeyName {
  const { alg, kid } = header
  if (typeof alg !== 'string' || !algorithms.has(alg))
    throw unauthorized('The token’s algorithm is not allowed.')
  if (kid !== undefined && typeof kid !== 'string') throw unauthorized('The token’s kid is no text.')
  // RFC 7515, section 4.1.11: no extension is understood here.
  if (Object.hasOwn(header, 'crit')) throw unauthorized('The token asks for an extension.')
  return { alg, kid }
}
