import { LRUCache } from 'lru-cache'
import type { Caller } from '../caller.js'
import type { IssuerKeys, KeySet } from './issuer-keys.js'

const MAX_AGE_MS = 60_000

/** What a verified token stands for, and the keys that verified it. The token is not kept. */
interface Entry {
  caller: Omit<Caller, 'token'>
  /** Milliseconds since 1970. */
  expiresAt: number
  issuer: Pick<IssuerKeys, 'current'>
  keys: KeySet
}

/** Caches verified tokens by hash, for a minute at most and while the keys of the issuer stay. */
export function tokenCache(now: () => number) {
  const entries = new LRUCache<string, Entry>({ max: 10_000, maxSize: 16_777_216 })
  return {
    get(hash: string): Entry['caller'] | undefined {
      const entry = entries.get(hash)
      if (entry && now() < entry.expiresAt && entry.issuer.current() === entry.keys) return entry.caller
      if (entry) entries.delete(hash)
      return undefined
    },
    /** @param length characters of the token, an upper bound of what is kept of it. */
    set(hash: string, length: number, entry: Entry): void {
      const expiresAt = Math.min(now() + MAX_AGE_MS, entry.expiresAt)
      entries.set(hash, { ...entry, expiresAt }, { size: length + 512 })
    }
  }
}
