import { createHmac } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { isClinicalReference } from '../clinical/reference.js'

/** The form of patients in the audit record: a keyed hash or the plain reference. */
export type PatientFormat = 'hash' | 'reference'

/**
 * Number of the first bytes of an HMAC-SHA256 that are stored. The length also distinguishes a hash
 * from a reference, which has at least 18 bytes: `http://h/Patient/1`.
 */
const HASH_BYTES = 16

/** The block of SHA-256, which is longer than the key. */
const BLOCK_BYTES = 64

/**
 * Longer references are hashed, because an index entry of PostgreSQL has at most about 2,700 bytes.
 */
const MAX_REFERENCE_LENGTH = 2048

/**
 * Stored patients are bytes, here as PostgreSQL's hex text.
 * @param key the key of the hashes.
 */
export function createPatientFormatter(patientFormat: PatientFormat, key: Uint8Array) {
  const hashOf = (patient: string) =>
    hexText(createHmac('sha256', key).update(patient).digest().subarray(0, HASH_BYTES))
  const isPlain = (patient: string) =>
    patientFormat === 'reference' &&
    isClinicalReference(patient, 'Patient') &&
    patient.length <= MAX_REFERENCE_LENGTH
  const padded = (pad: number) =>
    hexText(Buffer.from(Array.from({ length: BLOCK_BYTES }, (_, at) => (key[at] ?? 0) ^ pad)))
  return {
    /** The values of the placeholders of {@link storedPatient}. */
    sqlValues: {
      storesReferences: patientFormat === 'reference',
      outerPad: padded(0x5c),
      innerPad: padded(0x36)
    },
    /** The representation to store. A value that is not a valid reference is always hashed. */
    format: (patient: string): string => (isPlain(patient) ? hexText(Buffer.from(patient)) : hashOf(patient)),
    /** All representations that stored rows may contain, because the setting may have changed. */
    allFormats: (patient: string): string[] => [hexText(Buffer.from(patient)), hashOf(patient)]
  }
}

/**
 * SQL expression with the result of `format` of {@link createPatientFormatter}, for a patient that
 * a statement reads. HMAC (RFC 2104) by PostgreSQL's SHA-256. The HMAC pads contain the key; they
 * are passed as parameters so that no log contains them.
 */
export const storedPatient = (patient: SQL): SQL => sql`
  case when ${sql.placeholder('storesReferences')}::boolean and length(${patient}) <= ${sql.raw(`${MAX_REFERENCE_LENGTH}`)}
    then convert_to(${patient}, 'UTF8')
    else substring(sha256(${sql.placeholder('outerPad')}::text::bytea
      || sha256(${sql.placeholder('innerPad')}::text::bytea || convert_to(${patient}, 'UTF8')))
      for ${sql.raw(`${HASH_BYTES}`)}) end`

const hexText = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/** The hash (base64url) or the reference in a stored representation. */
export function parseStoredPatient(
  stored: string
): { hash: string; reference?: never } | { reference: string; hash?: never } {
  const bytes = Buffer.from(stored.slice('\\x'.length), 'hex')
  return bytes.length === HASH_BYTES ? { hash: bytes.toString('base64url') } : { reference: bytes.toString() }
}
