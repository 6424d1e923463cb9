import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isClinicalReference } from '../clinical/reference.js'

/** How the audit record stores patients: as a keyed hash or as the plain reference. */
export type PatientFormat = 'hash' | 'reference'

/** Distinguishes a hash from a reference. */
export const HASH_PREFIX = 'hmac-sha256:'

/** Longer references are hashed: an index entry of PostgreSQL holds about 2,700 bytes at most. */
const MAX_REFERENCE_LENGTH = 2048

/**
 * Characters of cached patients and hashes. A page has a hundred patients, often those of the last
 * one.
 */
const MAX_CACHED_CHARACTERS = 2 ** 21

export interface PatientFormatter {
  /** The representation to store. A value that is no valid reference is always hashed. */
  format(patient: string): string
  /** All representations that stored rows may hold, because the setting may have changed. */
  allFormats(patient: string): string[]
}

/** @param key the key of the hashes. */
export function createPatientFormatter(patientFormat: PatientFormat, key: Uint8Array): PatientFormatter {
  const hashes = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (hash, patient) => hash.length + patient.length,
    memoMethod: (patient) => `${HASH_PREFIX}${createHmac('sha256', key).update(patient).digest('base64url')}`
  })
  const hashOf = (patient: string) => hashes.memo(patient)
  const isPlain = (patient: string) =>
    patientFormat === 'reference' &&
    isClinicalReference(patient, 'Patient') &&
    patient.length <= MAX_REFERENCE_LENGTH
  return {
    format: (patient) => (isPlain(patient) ? patient : hashOf(patient)),
    allFormats: (patient) => [patient, hashOf(patient)]
  }
}
