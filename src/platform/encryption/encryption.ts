import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts bytes with a key of 32 bytes, and binds the result to a context. Returns initialization
 * vector, tag, encrypted bytes.
 */
export function encrypt(key: Uint8Array, bytes: Uint8Array, context = ''): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context))
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

/** @throws Error if the bytes were changed, or the key or context differs from the encryption. */
export function decrypt(key: Uint8Array, bytes: Uint8Array, context = ''): Buffer {
  const [tagAt, textAt] = [IV_BYTES, IV_BYTES + TAG_BYTES]
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, tagAt))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()])
}

const KEY_BYTES = 32

/** Decodes a key: 32 bytes in base64. Undefined for any other text. */
export function parseEncryptionKey(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === KEY_BYTES && bytes.toString('base64') === text.trim() ? bytes : undefined
}

/** Reads the key from `secrets.key`, for devtest. One of several instances creates the file. */
export function readKeyFile(dataDir: string): Uint8Array {
  const file = join(dataDir, 'secrets.key')
  if (!existsSync(file)) createKeyFile(dataDir, file)
  const key = parseEncryptionKey(readFileSync(file, 'utf8').trim())
  if (!key)
    throw new Error(`${file} must hold 32 bytes in base64. Restore it, or remove it and rotate all secrets.`)
  return key
}

/** The file gets its name when it is complete. */
function createKeyFile(dataDir: string, file: string): void {
  mkdirSync(dataDir, { recursive: true })
  const partial = `${file}.${process.pid}.partial`
  writeFileSync(partial, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 })
  try {
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(partial)
  }
}
