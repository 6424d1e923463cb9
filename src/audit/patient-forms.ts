import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isClinicalReference } from '../clinical/reference.js'

/** How a patient stands in the audit record. */
export type PatientForm = 'hash' | 'reference'

/** Marks a hash, so that it is told from a reference. */
export const hashed = 'hmac-sha256:'

/** Characters of a reference at most: an index entry of PostgreSQL holds no more than about 2,700. */
const longest = 2048

/** Characters of patients whose hashes are remembered: a page of orders has a hundred of them, and the next one often the same. */
const remembered = 2 ** 21

export interface PatientForms {
  /** What is recorded of a patient: a reference that is not fit to be is recorded as its hash. */
  recorded(patient: string): string
  /** A patient as rows may hold them, whatever the setting was when they were written. */
  possible(patient: string): string[]
}

/** @param key of the hashes. */
export function patientForms(form: PatientForm, key: Uint8Array): PatientForms {
  const hashes = new LRUCache<string, string>({
    maxSize: remembered,
    sizeCalculation: (hash, patient) => hash.length + patient.length,
    memoMethod: (patient) => `${hashed}${createHmac('sha256', key).update(patient).digest('base64url')}`
  })
  const hashOf = (patient: string) => hashes.memo(patient)
  const isShown = (patient: string) =>
    form === 'reference' && isClinicalReference(patient, 'Patient') && patient.length <= longest
  return {
    recorded: (patient) => (isShown(patient) ? patient : hashOf(patient)),
    possible: (patient) => [patient, hashOf(patient)]
  }
}
