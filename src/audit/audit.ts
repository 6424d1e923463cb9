import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Batcher, createBatcher } from '../db/batch/batcher.js'
import type { Database } from '../db/driver/database.js'
import { newId } from '../db/unit-of-work.js'
import type { AuditContext } from '../platform/auth/audit-context.js'
import type { Caller } from '../platform/auth/caller.js'
import { withTimeout } from '../platform/concurrency/deadline.js'
import { unwrapDriverError } from '../platform/errors/pg-errors.js'
import { durationHistogram, secondsSince } from '../platform/telemetry/meter.js'
import { type AuditEntry, insertWithRetry } from './insert-with-retry.js'
import { createPatientHasher } from './stored-patient.js'
import type { AuditRow } from './tables.js'

/** The part of an audit context that is recorded. */
export type AuditInput = Pick<AuditContext, 'call' | 'caller' | 'subjects'>

/** An {@link AuditInput}, or the same members of an operator's command, which has no token. */
type RowInput = Pick<AuditInput, 'call' | 'subjects'> & {
  caller: Pick<Caller, 'userId' | 'organization'> & { userType: string }
}

/** The audit record: who read or wrote which patient's data. */
export interface Audit {
  /** The row of a request. `problem` is the code of its problem, or null. */
  rowOf(input: RowInput, problem: string | null): AuditRow
  /**
   * Commits the row of a request. Concurrent rows share one statement and one commit. A row with
   * many subjects refers to a row of the last hour with the same subjects, so that a client that
   * polls a page does not fill the disk.
   */
  record(input: AuditInput, problem: string | null): Promise<void>
  readonly storedPatientValues: Readonly<Record<string, unknown>>
  /** A patient as it is stored. */
  patientHash(patient: string): string
  /**
   * Operations that reach an order through another resource in the request. The audit events of
   * their callers omit orders that the callers may not read.
   */
  readonly lookUpOperations: Set<string>
}

export interface AuditOptions {
  db: Database
  /** Key of the hashes of patients. */
  key: Uint8Array
  /** Time limit of an insert. */
  timeoutMs: number
}

/** Longer user ids are truncated. */
const MAX_USER_ID_LENGTH = 255

/**
 * Only rows with at least this many subjects may refer to an earlier row with the same subjects.
 * Shorter rows save no space by a reference.
 */
const MIN_SHARED_SUBJECTS = 10

/** A row refers only to rows younger than this, so that related rows expire together. */
const MAX_SOURCE_AGE_MS = 60 * 60 * 1000

/** The weight of a row is 1 plus its number of orders. */
const MAX_BATCH_WEIGHT = 2000

export function createAudit({ db, key, timeoutMs }: AuditOptions): Audit {
  const { sqlValues, hashOf } = createPatientHasher(key)
  const duration = durationHistogram('ssl.audit.write.duration', 'Duration of writes of audit records.')
  const write: Batcher<AuditEntry, boolean> = createBatcher({
    name: 'audit-records',
    execute(db, entries) {
      const start = performance.now()
      const late = () => new Error('Writing the audit record timed out.')
      const written = withTimeout(timeoutMs, insertWithRetry(db, entries, start + timeoutMs), late)
      written.then(
        () => duration.record(secondsSince(start)),
        (cause) =>
          duration.record(secondsSince(start), { 'error.type': unwrapDriverError(cause)?.code ?? 'timeout' })
      )
      return written
    },
    weight: ({ row }) => 1 + row.orders.length,
    maxBatchWeight: MAX_BATCH_WEIGHT,
    maxWaitMs: timeoutMs
  })
  /** Ids of rows that list their subjects, by a digest of the subjects. */
  const sources = new LRUCache<string, string>({ max: 1000, ttl: MAX_SOURCE_AGE_MS })

  const rowOf: Audit['rowOf'] = (
    { call: { requestId, operation, interaction }, caller, subjects },
    problem
  ) => ({
    id: newId(),
    recorded: new Date(),
    requestId,
    operation,
    interaction,
    problem,
    userType: caller.userType,
    userId: caller.userId?.slice(0, MAX_USER_ID_LENGTH) ?? null,
    organization: caller.organization ?? null,
    patients: subjects.map(({ patient }) => patient && hashOf(patient)),
    orders: subjects.map(({ order }) => order),
    sameAs: null
  })

  async function record({ call, caller, subjects }: AuditInput, problem: string | null): Promise<void> {
    const input = { call, caller, subjects }
    if (subjects.length < MIN_SHARED_SUBJECTS) {
      const row = rowOf(input, problem)
      await write(db, { row, inFull: () => row })
      return
    }
    const start = performance.now()
    // A row and its source are removed together with their month.
    const month = new Date().toISOString().slice(0, 7)
    const digest = createHash('sha256')
      .update(JSON.stringify([month, subjects]))
      .digest('base64')
    const sameAs = sources.get(digest) ?? null
    const row = { ...rowOf(sameAs === null ? input : { ...input, subjects: [] }, problem), sameAs }
    const { id, recorded } = row
    const isUnchanged = await write(db, { row, inFull: () => ({ ...rowOf(input, problem), id, recorded }) })
    if (sameAs === null || !isUnchanged) sources.set(digest, id, { start })
  }

  return {
    rowOf,
    record,
    storedPatientValues: sqlValues,
    patientHash: hashOf,
    lookUpOperations: new Set()
  }
}
