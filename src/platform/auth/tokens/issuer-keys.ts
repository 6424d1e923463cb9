import { KeyObject } from 'node:crypto'
import type { createLocalJWKSet, JWSHeaderParameters } from 'jose'
import { authProblem } from '../texts.js'

/** Minimum milliseconds between fetches for unknown `kid`s. */
const COOL_DOWN_MS = 30_000
/** Minimum milliseconds between a failed fetch and the next one, without keys. */
const RETRY_DELAY_MS = 2000
const NEVER = Number.NEGATIVE_INFINITY

export type KeySet = ReturnType<typeof createLocalJWKSet>

/**
 * Keeps the last good keys of an issuer. createRemoteJWKSet of jose does not pause after a failed
 * fetch, and its cool-down would reject a key that is published right after a fetch.
 */
export function issuerKeys(
  fetch: () => Promise<KeySet>,
  maxAgeMs: number,
  onFailure: (cause: unknown) => void
) {
  let keys: KeySet | undefined
  let [fetchedAt, failedAt, missedAt] = [NEVER, NEVER, NEVER]
  let pending: Promise<void> | undefined

  const current = () => (Date.now() - fetchedAt < maxAgeMs ? keys : undefined)
  const nextFetchAt = () => (current() ? missedAt + COOL_DOWN_MS : failedAt + RETRY_DELAY_MS)

  async function tryFetch(): Promise<void> {
    try {
      keys = await fetch()
      fetchedAt = Date.now()
      failedAt = NEVER
    } catch (cause) {
      failedAt = Date.now()
      onFailure(cause)
    } finally {
      pending = undefined
    }
  }

  /** Fetches the keys, or joins the fetch in flight. */
  function refresh(): Promise<void> {
    pending ??= tryFetch()
    return pending
  }

  async function lookUp(header: JWSHeaderParameters) {
    const set = current()
    // jose rejects if no key or several keys match.
    const key = await set?.(header).then(KeyObject.from, () => undefined)
    return set && key && { keys: set, pem: String(key.export({ type: 'spki', format: 'pem' })) }
  }

  /**
   * Finds the key by `alg` and `kid`; may fetch the keys.
   * @throws Problem `token-issuer-unavailable` when the key is unknown and the last fetch failed.
   */
  async function find(header: JWSHeaderParameters) {
    let found = await lookUp(header)
    if (!found && pending) {
      // The fetch in flight may have begun before the key was published.
      await pending
      found = await lookUp(header)
    }
    if (!found && (pending || Date.now() >= nextFetchAt())) {
      if (!pending && current()) missedAt = Date.now()
      await refresh()
      found = await lookUp(header)
    }
    if (found || failedAt === NEVER) return found
    const seconds = String(Math.max(1, Math.ceil((nextFetchAt() - Date.now()) / 1000)))
    throw authProblem('token-issuer-unavailable', null, null, { headers: { 'retry-after': seconds } })
  }

  /** Fetches the keys in the background if none are in force, unless that just failed. */
  function prefetch(): void {
    if (!current() && Date.now() >= nextFetchAt()) void refresh()
  }

  return { current, find, prefetch, refresh }
}
