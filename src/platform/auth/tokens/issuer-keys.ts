import { problem } from '../../errors/problem.js'
import type { KeyName, KeySet } from './key-set.js'

/** Milliseconds before an unknown `kid` may cause another fetch. */
const coolDown = 30_000
/** Milliseconds before another fetch is tried for a request, while there are no keys at all. */
const pause = 2000

export interface IssuerKeysOptions {
  /** Fetches the keys. */
  fetch: () => Promise<KeySet>
  /** Milliseconds for which keys are used after they were last fetched. */
  kept: number
  /** Told of each fetch that failed. */
  onFailure: (cause: unknown) => void
  now: () => number
}

/** A key, as PEM, and the set that it was found in. */
export interface FoundKey {
  pem: string
  keys: KeySet
}

/** The keys of one issuer. */
export interface IssuerKeys {
  /** The set that holds now: the last one fetched, unless that was too long ago. The same object as long as the keys are the same. */
  current(): KeySet | undefined
  /**
   * The key of that name, at once when it is known. For one that is not, the keys may be fetched anew.
   * @throws Problem `token-issuer-unavailable` when the issuer would have to be asked and cannot be.
   */
  find(name: KeyName): Promise<FoundKey | undefined>
  /** Fetches the keys anew, or joins the fetch that is under way; false when that failed, and the old ones stay. */
  refresh(): Promise<boolean>
}

/** Keeps the keys of one issuer: fetched at the pace that is set here, whatever requests come. */
export function issuerKeys({ fetch, kept, onFailure, now }: IssuerKeysOptions): IssuerKeys {
  let keys: KeySet | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  /** When a fetch failed; -∞ when the last one did not. */
  let failedAt = Number.NEGATIVE_INFINITY
  /** When an unknown `kid` last caused a fetch. */
  let askedAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<boolean> | undefined

  const current = () => (now() - fetchedAt < kept ? keys : undefined)
  /** When a request may next cause a fetch. */
  const nextAt = () => (current() ? askedAt + coolDown : failedAt + pause)

  function lookUp(name: KeyName): FoundKey | undefined {
    const set = current()
    const pem = set?.find(name)
    return set && pem !== undefined ? { pem, keys: set } : undefined
  }

  async function find(name: KeyName): Promise<FoundKey | undefined> {
    const known = lookUp(name)
    if (known) return known
    // A fetch that was under way before this request came may bring the keys of before: then it is worth another.
    if (underWay === undefined || ((await underWay) && !lookUp(name))) await ask()
    const found = lookUp(name)
    if (found === undefined && failedAt > Number.NEGATIVE_INFINITY) throw unavailable(nextAt() - now())
    return found
  }

  /** Waits for the fetch that is under way, or for one begun now if it is time for that. */
  async function ask(): Promise<void> {
    if (underWay === undefined && now() < nextAt()) return
    if (underWay === undefined && current()) askedAt = now()
    await refresh()
  }

  function refresh(): Promise<boolean> {
    underWay ??= fetch().then(
      (fetched) => {
        underWay = undefined
        if (keys?.fingerprint !== fetched.fingerprint) keys = fetched
        fetchedAt = now()
        failedAt = Number.NEGATIVE_INFINITY
        return true
      },
      (cause) => {
        underWay = undefined
        failedAt = now()
        onFailure(cause)
        return false
      }
    )
    return underWay
  }

  return { current, find, refresh }
}

const unavailable = (milliseconds: number) =>
  problem('token-issuer-unavailable', 'The token issuer’s keys cannot be fetched. Try again later.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(milliseconds / 1000))) }
  })
