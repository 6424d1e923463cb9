import { KeyObject } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { createLocalJWKSet, JWSHeaderParameters } from 'jose'
import { problem } from '../../errors/problem.js'

/** Minimum milliseconds between fetches for unknown `kid`s. */
const COOL_DOWN_MS = 30_000
/** Minimum milliseconds before another fetch after a failed one, without keys. */
const RETRY_DELAY_MS = 2000
const MIN_RSA_BITS = 2048
const NEVER = Number.NEGATIVE_INFINITY

export type KeySet = ReturnType<typeof createLocalJWKSet>
export type IssuerKeys = ReturnType<typeof issuerKeys>

export interface IssuerKeysOptions {
  fetch: () => Promise<KeySet>
  /** Milliseconds for which keys are used after they were last fetched. */
  maxAgeMs: number
  onFailure: (cause: unknown) => void
  now: () => number
}

/**
 * Keeps the last good keys of an issuer. createRemoteJWKSet of jose drops them while the issuer is
 * away, does not pause after a failed fetch, and starts its cool-down with every fetch: it would
 * refuse a key that is published right after one.
 */
export function issuerKeys({ fetch, maxAgeMs, onFailure, now }: IssuerKeysOptions) {
  let keys: KeySet | undefined
  let [fetchedAt, failedAt, missedAt] = [NEVER, NEVER, NEVER]
  let pending: Promise<boolean> | undefined

  /** The keys in force. The same object while the keys are the same. */
  const current = () => (now() - fetchedAt < maxAgeMs ? keys : undefined)
  const nextFetchAt = () => (current() ? missedAt + COOL_DOWN_MS : failedAt + RETRY_DELAY_MS)

  async function tryFetch(): Promise<boolean> {
    try {
      const fetched = await fetch()
      if (!isDeepStrictEqual(keys?.jwks(), fetched.jwks())) keys = fetched
      fetchedAt = now()
      failedAt = NEVER
    } catch (cause) {
      failedAt = now()
      onFailure(cause)
    } finally {
      pending = undefined
    }
    return failedAt === NEVER
  }

  /** Fetches the keys, or joins the fetch in flight. Resolves to false when the old keys stay. */
  function refresh(): Promise<boolean> {
    pending ??= tryFetch()
    return pending
  }

  async function lookUp(header: JWSHeaderParameters) {
    const set = current()
    // jose rejects for none, for several, and for one that is private or malformed.
    const key = await set?.(header).then(KeyObject.from, () => undefined)
    if (set && key && isStrong(key))
      return { keys: set, pem: String(key.export({ type: 'spki', format: 'pem' })) }
    return undefined
  }

  /**
   * Finds the key by `alg` and `kid`; may fetch the keys when it is unknown.
   * @throws Problem `token-issuer-unavailable` when it is unknown and the last fetch failed.
   */
  async function find(header: JWSHeaderParameters) {
    const known = await lookUp(header)
    if (known) return known
    // A fetch in flight may have begun before the key was published.
    const isMissed = !pending || ((await pending) && !(await lookUp(header)))
    if (isMissed && (pending || now() >= nextFetchAt())) {
      if (!pending && current()) missedAt = now()
      await refresh()
    }
    const found = await lookUp(header)
    if (found || failedAt === NEVER) return found
    const seconds = String(Math.max(1, Math.ceil((nextFetchAt() - now()) / 1000)))
    const detail = 'The token issuer’s keys cannot be fetched. Try again later.'
    throw problem('token-issuer-unavailable', detail, { headers: { 'retry-after': seconds } })
  }

  return { current, find, refresh }
}

/** With the exponent 1 a signature is the text itself. */
const isStrong = ({ asymmetricKeyType: type, asymmetricKeyDetails: rsa }: KeyObject) =>
  type !== 'rsa' || ((rsa?.modulusLength ?? 0) >= MIN_RSA_BITS && (rsa?.publicExponent ?? 0n) > 2n)
