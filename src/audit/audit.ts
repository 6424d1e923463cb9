import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isClinicalReference } from '../clinical/reference.js'
import type { Database } from '../db/connection.js'
import { newId } from '../db/work.js'
import { driverError } from '../platform/database-fault.js'
import type { Trail } from '../platform/trail.js'
import { type Grouped, grouped } from './grouped.js'
import { insertSurely } from './insert.js'
import type { AuditRow } from './tables.js'

/** How a patient stands in the audit record. */
export type PatientForm = 'hash' | 'reference'

/** Keeps the record of who read or wrote which patient's data. */
export interface Audit {
  /** The row of a request that ends with a problem of this code, or with none. */
  rowOf(trail: Trail, problem: string | null): AuditRow
  /** Commits a row; rows that come at the same time share one statement and one commit. */
  record(row: AuditRow): Promise<void>
  /** A patient as rows may hold them, whatever the setting was when they were written. */
  formsOf(patient: string): string[]
}

export interface AuditOptions {
  db: Database
  /** Key of the patients' hashes. */
  key: Uint8Array
  patients: PatientForm
  /** Milliseconds that the database may take. */
  timeout: number
}

/** Marks a hash, so that it is told from a reference. */
export const hashed = 'hmac-sha256:'

/** Characters of a user id that are recorded at most. */
const longestUser = 255

/** Characters of a reference at most: an index entry of PostgreSQL holds no more than about 2,700. */
const longest = 2048

/** Characters of patients whose hashes are remembered: a page of orders has a hundred of them, and the next one often the same. */
const remembered = 2 ** 21

export function createAudit({ db, key, patients, timeout }: AuditOptions): Audit {
  const hashes = new LRUCache<string, string>({
    maxSize: remembered,
    sizeCalculation: (hash, patient) => hash.length + patient.length,
    memoMethod: (patient) => `${hashed}${createHmac('sha256', key).update(patient).digest('base64url')}`
  })
  const hashOf = (patient: string) => hashes.memo(patient)
  const formOf = (patient: string) =>
    patients === 'reference' && isClinicalReference(patient, 'Patient') && patient.length <= longest
      ? patient
      : hashOf(patient)
  const record: Grouped<AuditRow> = grouped({
    write: (rows) => insertSurely(db, rows),
    sizeOf: ({ orders }) => 1 + orders.length,
    largest: 2000,
    waiting: 10_000,
    timeout,
    // Classes of SQLSTATE: a value that cannot be stored, a constraint, a limit of the program.
    isFaultOfEntry: (cause) => /^(22|23|54)/.test(driverError(cause)?.code ?? '')
  })

  return {
    record,
    formsOf: (patient) => [patient, hashOf(patient)],
    rowOf({ call, caller, subjects }, problem) {
      return {
        ...call,
        id: newId(),
        recorded: new Date(),
        problem,
        userType: caller.userType,
        userId: caller.userId?.slice(0, longestUser) ?? null,
        organization: caller.organization ?? null,
        patients: subjects.map(({ patient }) => patient && formOf(patient)),
        orders: subjects.map(({ order }) => order)
      }
    }
  }
}
