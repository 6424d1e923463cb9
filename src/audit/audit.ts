import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Batcher, createBatcher } from '../db/batch/batcher.js'
import type { Database } from '../db/driver/database.js'
import { newId } from '../db/unit-of-work.js'
import type { Caller } from '../platform/auth/actor.js'
import type { AuditContext } from '../platform/auth/audit-context.js'
import { withTimeout } from '../platform/concurrency/with-timeout.js'
import { type Entry, insertWithRetry } from './insert.js'
import { type PatientForm, patientForms } from './patient-forms.js'
import type { AuditRow } from './tables.js'

/** What a record tells of a request. */
export type AuditInput = Pick<AuditContext, 'call' | 'caller' | 'subjects'>

/** The same, or what it tells of an operator's command: operators have no token. */
type Recorded = Pick<AuditInput, 'call' | 'subjects'> & {
  caller: Pick<Caller, 'userId' | 'organization'> & { userType: string }
}

/** Keeps the record of who read or wrote which patient's data. */
export interface Audit {
  /** The row of a request that ends with a problem of this code, or with none. */
  rowOf(told: Recorded, problem: string | null): AuditRow
  /**
   * Commits the row of a request; rows that come at the same time share one statement and one commit. A long row that names the
   * same as one of the last hour refers to that: who asks again and again for the same page would fill the disk with it.
   */
  record(told: AuditInput, problem: string | null): Promise<void>
  /** A patient as rows may hold them, whatever the setting was when they were written. */
  formsOf(patient: string): string[]
  /**
   * Operations whose requests name something that leads to an order, and not the order itself: their own callers are not shown orders
   * that they may not read.
   */
  readonly lookUpOperations: Set<string>
}

export interface AuditOptions {
  db: Database
  /** Key of the patients' hashes. */
  key: Uint8Array
  patients: PatientForm
  /** Milliseconds that the database may take. */
  timeout: number
}

/** Characters of a user id that are recorded at most. */
const longestUser = 255

/** From so many patients and orders on, a row refers to another that names the same: to name fewer is as short. */
const many = 10

/** Milliseconds in which a row is referred to, from its making on, so that what belongs together is kept, and may be put away, together. */
const hour = 60 * 60 * 1000

export function createAudit({ db, key, patients, timeout }: AuditOptions): Audit {
  const forms = patientForms(patients, key)
  const write: Batcher<Entry, boolean> = createBatcher({
    run: (entries) =>
      withTimeout(timeout, insertWithRetry(db, entries), () => new Error('The audit record takes too long.')),
    sizeOf: ({ row }) => 1 + row.orders.length,
    largest: 2000,
    patience: timeout
  })
  /** Ids of rows that name many, by a digest of what they name. */
  const namers = new LRUCache<string, string>({ max: 1000, ttl: hour })

  const rowOf: Audit['rowOf'] = ({ call, caller, subjects }, problem) => ({
    ...call,
    id: newId(),
    recorded: new Date(),
    problem,
    userType: caller.userType,
    userId: caller.userId?.slice(0, longestUser) ?? null,
    organization: caller.organization ?? null,
    patients: subjects.map(({ patient }) => patient && forms.recorded(patient)),
    orders: subjects.map(({ order }) => order),
    sameAs: null
  })

  async function record({ call, caller, subjects }: AuditInput, problem: string | null): Promise<void> {
    const told = { call, caller, subjects }
    if (subjects.length < many) {
      const row = rowOf(told, problem)
      await write({ row, whole: () => row })
      return
    }
    const start = performance.now()
    const digest = createHash('sha256').update(JSON.stringify(subjects)).digest('base64')
    const sameAs = namers.get(digest) ?? null
    const row = { ...rowOf(sameAs === null ? told : { ...told, subjects: [] }, problem), sameAs }
    const { id, recorded } = row
    const isAsItIs = await write({ row, whole: () => ({ ...rowOf(told, problem), id, recorded }) })
    if (sameAs === null || !isAsItIs) namers.set(digest, id, { start })
  }

  return { rowOf, record, formsOf: forms.possible, lookUpOperations: new Set() }
}
