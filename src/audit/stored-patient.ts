import { createHmac } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'

/** Number of the first bytes of an HMAC-SHA256 that are stored. */
const HASH_BYTES = 16

/** The block of SHA-256, which is longer than the key. */
const BLOCK_BYTES = 64

/**
 * Stored patients are keyed hashes, here as PostgreSQL's hex text.
 * @param key the key of the hashes.
 */
export function createPatientHasher(key: Uint8Array) {
  const padded = (pad: number) =>
    hexText(Buffer.from(Array.from({ length: BLOCK_BYTES }, (_, at) => (key[at] ?? 0) ^ pad)))
  return {
    /** The values of the placeholders of {@link storedPatient}. */
    sqlValues: { outerPad: padded(0x5c), innerPad: padded(0x36) },
    hashOf: (patient: string): string =>
      hexText(createHmac('sha256', key).update(patient).digest().subarray(0, HASH_BYTES))
  }
}

/**
 * SQL expression with the result of `hashOf` of {@link createPatientHasher}, for a patient that a
 * statement reads. HMAC (RFC 2104) by PostgreSQL's SHA-256. The HMAC pads contain the key; they are
 * passed as parameters so that no log contains them.
 */
export const storedPatient = (patient: SQL): SQL => sql`
  substring(sha256(${sql.placeholder('outerPad')}::text::bytea
    || sha256(${sql.placeholder('innerPad')}::text::bytea || convert_to(${patient}, 'UTF8')))
    for ${sql.raw(`${HASH_BYTES}`)})`

const hexText = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/** A stored patient as base64url. */
export const shownHash = (stored: string): string =>
  Buffer.from(stored.slice('\\x'.length), 'hex').toString('base64url')
