import { randomBytes } from 'node:crypto'
import { decrypt, encrypt } from '../platform/encryption/encryption.js'

export type SecretCipher = ReturnType<typeof createSecretCipher>

/**
 * Encrypts secrets of subscriptions with a key that is not in the database. The context, to which
 * the result is bound, is the id of the subscription.
 * @param key 32 bytes.
 */
export const createSecretCipher = (key: Uint8Array) => ({
  seal: (secret: string, context: string): Uint8Array => encrypt(key, Buffer.from(secret), context),
  /** @throws Error if the key or the context differs. */
  open: (sealed: Uint8Array, context: string): string => decrypt(key, sealed, context).toString()
})

const SECRET_BYTES = 32

/** A new secret, in the form of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** Whether a text is a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export function isSecret(text: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (encoded === undefined) return false
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded
}
