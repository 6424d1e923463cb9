import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../actor.js'
import type { VerifiedToken } from './verify.js'

/** Milliseconds for which a token need not be verified again. */
const longest = 60_000

/** Who a token stands for; the token itself is not kept. */
export type Bearer = Omit<Caller, 'token'>

/** Who a token stands for, and what that rests on. */
interface Entry extends Pick<VerifiedToken, 'issuer' | 'keys'> {
  bearer: Bearer
  until: number
}

/** Remembers tokens that were verified, by their hash, within bounds of time and room. */
export interface TokenCache {
  /** Who a token stands for, as long as its issuer's keys are those that it was verified with. */
  get(hash: string): Bearer | undefined
  /** @param size characters of the token: what it says takes no more. */
  set(hash: string, size: number, bearer: Bearer, verified: VerifiedToken): void
}

/** Makes an empty cache of tokens. */
export function tokenCache(now: () => number): TokenCache {
  const entries = new LRUCache<string, Entry>({ max: 10_000, maxSize: 16_777_216 })
  return {
    get(hash) {
      const entry = entries.get(hash)
      if (!entry) return undefined
      if (now() < entry.until && entry.issuer.current() === entry.keys) return entry.bearer
      entries.delete(hash)
      return undefined
    },
    set(hash, size, bearer, { expiresAt, issuer, keys }) {
      const until = Math.min(now() + longest, expiresAt)
      entries.set(hash, { bearer, until, issuer, keys }, { size: size + 512 })
    }
  }
}

/** Of the whole token: its signature alone, or another part, a second token could share. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('base64')
