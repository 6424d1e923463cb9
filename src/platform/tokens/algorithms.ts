/** What a key must be for an algorithm (RFC 7518, RFC 8037). */
interface KeyKind {
  kty: 'RSA' | 'EC' | 'OKP'
  crv?: string
}

const rsa: KeyKind = { kty: 'RSA' }
const ed25519: KeyKind = { kty: 'OKP', crv: 'Ed25519' }

/**
 * The algorithms a token may be signed with, and the kind of key of each. Asymmetric ones only: with a shared secret whoever verifies
 * could also sign.
 */
export const algorithms: ReadonlyMap<string, KeyKind> = new Map([
  ['RS256', rsa],
  ['RS384', rsa],
  ['RS512', rsa],
  ['PS256', rsa],
  ['PS384', rsa],
  ['PS512', rsa],
  ['ES256', { kty: 'EC', crv: 'P-256' }],
  ['ES384', { kty: 'EC', crv: 'P-384' }],
  ['ES512', { kty: 'EC', crv: 'P-521' }],
  ['EdDSA', ed25519],
  ['Ed25519', ed25519]
])
