import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../actor.js'
import type { VerifiedToken } from './verify.js'

/** Milliseconds for which a token need not be verified again. */
const longest = 60_000

/** Who a token stands for, and what that rests on; the token itself is not kept. */
interface Entry extends Pick<VerifiedToken, 'issuer' | 'keys'> {
  caller: Omit<Caller, 'token'>
  until: number
}

/** Remembers tokens that were verified, by their hash, within bounds of time and room. */
export interface TokenCache {
  /** Who a token stands for, as long as its issuer's keys are those that it was verified with. */
  get(token: string): Caller | undefined
  set(token: string, caller: Caller, verified: VerifiedToken): void
}

/** Makes an empty cache of tokens. */
export function tokenCache(now: () => number): TokenCache {
  const entries = new LRUCache<string, Entry>({ max: 10_000, maxSize: 16_777_216 })
  return {
    get(token) {
      const key = hashOf(token)
      const entry = entries.get(key)
      if (!entry) return undefined
      if (now() < entry.until && entry.issuer.current() === entry.keys) return { ...entry.caller, token }
      entries.delete(key)
      return undefined
    },
    set(token, { token: _, ...caller }, { expiresAt, issuer, keys }) {
      const until = Math.min(now() + longest, expiresAt)
      // The claims are no larger than the token that they were read from.
      entries.set(hashOf(token), { caller, until, issuer, keys }, { size: 512 + token.length })
    }
  }
}

/** Of the whole token: of its signature alone, or of a part, another token could have the same. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64')
