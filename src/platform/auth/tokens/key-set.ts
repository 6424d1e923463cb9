import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { algorithms } from './algorithms.js'

/** How a token names the key that it was signed with. */
export interface KeyName {
  alg: string
  kid: string | undefined
}

/** The keys of an issuer at one time; never changes. */
export interface KeySet {
  /** The one key that fits, as PEM: by `kid` where the token has one. None when several fit. */
  find(name: KeyName): string | undefined
  /** Equal for two sets that hold the same keys. */
  readonly fingerprint: string
}

interface Key extends Readonly<Record<'kty' | 'crv' | 'kid' | 'alg', unknown>> {
  pem: string
}

/** Bits of an RSA key at least (RFC 7518, section 3.3). */
const smallest = 2048
/** Members that a private or a shared key has. */
const secrets = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'] as const

/**
 * Reads a JWKS (RFC 7517). An entry that tokens must not be verified with is passed over: one that is private or shared, too small,
 * of unknown kind, or for another use.
 * @throws Error when it is no JWKS.
 */
export function keySetOf(document: unknown): KeySet {
  const { keys: entries } = (document ?? {}) as { keys?: unknown }
  if (!Array.isArray(entries)) throw new Error('The issuer’s JWKS has no keys.')
  const keys = entries.flatMap((entry) => keyOf(entry) ?? [])
  return {
    find: (name) => {
      const fitting = keys.filter((key) => fits(key, name))
      return fitting.length === 1 ? fitting[0]?.pem : undefined
    },
    fingerprint: keys
      .map(({ pem, kid, alg }) => JSON.stringify([kid, alg, pem]))
      .sort()
      .join()
  }
}

function fits(key: Key, { alg, kid }: KeyName): boolean {
  const kind = algorithms.get(alg)
  return (
    kind !== undefined &&
    kind.kty === key.kty &&
    (kind.crv === undefined || kind.crv === key.crv) &&
    (key.alg === undefined || key.alg === alg) &&
    (kid === undefined || kid === key.kid)
  )
}

function keyOf(entry: unknown): Key | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const jwk = entry as JsonWebKey
  const { kty, crv, kid, alg, use, key_ops: operations } = jwk
  const isForSignatures =
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify')))
  if (!isForSignatures || secrets.some((name) => jwk[name] !== undefined)) return undefined
  const key = imported(jwk)
  if (!key || !isStrong(key)) return undefined
  return { pem: key.export({ type: 'spki', format: 'pem' }).toString(), kty, crv, kid, alg }
}

function imported(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

function isStrong({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  // With the exponent 1 a signature is the text itself.
  return type !== 'rsa' || ((details?.modulusLength ?? 0) >= smallest && (details?.publicExponent ?? 0n) > 2n)
}
