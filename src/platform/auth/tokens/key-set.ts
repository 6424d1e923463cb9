import { KeyObject } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { KeySet } from './issuer-keys.js'

/** Asymmetric only: with a shared secret, a verifier could also sign. */
export const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ')

const MIN_RSA_BITS = 2048

/**
 * Reads the keys of a JWKS that can verify tokens.
 * @throws Error when the JWKS is malformed or has no such key.
 */
export async function keySetOf(jwks: unknown): Promise<KeySet> {
  const { keys } = createLocalJWKSet(jwks as JSONWebKeySet).jwks()
  const usable: typeof keys = []
  for (const key of keys) if (await isUsable(key)) usable.push(key)
  if (usable.length === 0) throw new Error('The JWKS has no key that can verify tokens.')
  return createLocalJWKSet({ keys: usable })
}

/** Whether jose selects and imports the public key for an algorithm, and the key is secure. */
async function isUsable(jwk: JSONWebKeySet['keys'][number]): Promise<boolean> {
  const only = createLocalJWKSet({ keys: [jwk] })
  for (const alg of algorithms) {
    const key = await only({ alg }).then(KeyObject.from, () => undefined)
    if (key) return isSecure(key)
  }
  return false
}

/** With the exponent 1 anyone can make a signature. An even exponent belongs to no RSA key. */
function isSecure({ asymmetricKeyDetails: { modulusLength, publicExponent } = {} }: KeyObject): boolean {
  if (modulusLength === undefined || publicExponent === undefined) return true
  return modulusLength >= MIN_RSA_BITS && publicExponent > 1n && publicExponent % 2n === 1n
}
