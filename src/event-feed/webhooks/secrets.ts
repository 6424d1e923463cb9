import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts secrets of subscriptions with a key that is not in the database. */
export interface SecretBox {
  /** @param context to which the result is bound: the id of the subscription. */
  seal(secret: string, context: string): Uint8Array
  /** @throws Error when the key or the context is another one. */
  open(sealed: Uint8Array, context: string): string
}

/** @param key 32 bytes. */
export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), text])
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== VERSION) throw new Error('Unknown form of a sealed secret.')
      const tagAt = 1 + IV_BYTES
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(1, tagAt))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES))
      const text = decipher.update(bytes.subarray(tagAt + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    }
  }
}

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
