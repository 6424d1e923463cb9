import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts bytes and authenticates them: initialization vector, tag, encrypted bytes.
 * @param key 32 bytes.
 * @param context to which the result is bound.
 */
export function encrypt(key: Uint8Array, bytes: Uint8Array, context = ''): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context))
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

/**
 * Decrypts what {@link encrypt} returned.
 * @throws Error when the bytes were changed, or the key or the context is another one.
 */
export function decrypt(key: Uint8Array, bytes: Uint8Array, context = ''): Buffer {
  const [tagAt, textAt] = [IV_BYTES, IV_BYTES + TAG_BYTES]
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, tagAt))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()])
}
