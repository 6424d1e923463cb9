import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { decrypt, encrypt } from '../encryption/encryption.js'
import { queryProblem } from '../errors/query-problem.js'
import { platformTexts } from '../errors/texts.js'

/**
 * Encrypts the position and filters of a list, so that URLs contain no readable patient reference.
 */
export interface Cursors {
  seal(value: unknown): string
  /** @throws Problem `invalid-query` when the cursor cannot be decrypted. */
  open(cursor: string): unknown
}

/** @param key 32 bytes, shared by all instances of the service. */
export function createCursors(key: Uint8Array): Cursors {
  return {
    seal: (value) => encrypt(key, pack(JSON.stringify(value))).toString('base64url'),
    open(cursor) {
      try {
        return JSON.parse(unpack(decrypt(key, Buffer.from(cursor, 'base64url'))))
      } catch {
        throw queryProblem('after', platformTexts.cursor)
      }
    }
  }
}

const [PLAIN, COMPRESSED] = [Buffer.of(0), Buffer.of(1)]

/** Minimum number of characters of a compressed position. Shorter positions gain too little. */
const MIN_COMPRESSED_LENGTH = 1000

/**
 * Compresses long filters, which contain similar URLs, because the link must fit a query string.
 */
const pack = (text: string): Buffer =>
  text.length < MIN_COMPRESSED_LENGTH
    ? Buffer.concat([PLAIN, Buffer.from(text)])
    : Buffer.concat([COMPRESSED, deflateRawSync(text)])

function unpack(bytes: Buffer): string {
  const content = bytes.subarray(1)
  return String(bytes[0] === COMPRESSED[0] ? inflateRawSync(content) : content)
}
