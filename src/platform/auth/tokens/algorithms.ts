import type { VerifyOptions } from '@fastify/jwt'

type Algorithm = NonNullable<VerifyOptions['algorithms']>[number]

/** What a key must be for an algorithm (RFC 7518, RFC 8037). */
interface KeyKind {
  kty: 'RSA' | 'EC' | 'OKP'
  crv?: string
}

const rsa: KeyKind = { kty: 'RSA' }

/**
 * The algorithms a token may be signed with, and the kind of key of each. Asymmetric ones only: with a shared secret whoever verifies
 * could also sign.
 */
export const algorithms: ReadonlyMap<string, KeyKind> = new Map<Algorithm, KeyKind>([
  ['RS256', rsa],
  ['RS384', rsa],
  ['RS512', rsa],
  ['PS256', rsa],
  ['PS384', rsa],
  ['PS512', rsa],
  ['ES256', { kty: 'EC', crv: 'P-256' }],
  ['ES384', { kty: 'EC', crv: 'P-384' }],
  ['ES512', { kty: 'EC', crv: 'P-521' }],
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519' }]
])
