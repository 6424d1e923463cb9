import { sql } from 'drizzle-orm'
import { v7 } from 'uuid'
import type { Call } from '../platform/auth/call.js'
import type { Database, Transaction } from './driver/database.js'
import { storeResult } from './idempotency-keys.js'

/** A unit of work. Its writes are committed together or not at all. */
export interface UnitOfWork {
  tx: Transaction
  call: Call
  /** The time of all its writes. */
  at: Date
}

/** The database, and whether Citus distributes its tables. */
export interface UnitOfWorkPorts {
  db: Database
  isDistributed: boolean
}

interface UnitOfWorkOptions<T> {
  /** False if `run`, by its result, wrote nothing: later failures then say so. */
  isWritten?: (result: T) => boolean
  /** Writes only tables of which nodes have no copies, such as orders: runs beside others. */
  isConcurrent?: boolean
}

/**
 * Runs a unit of work in one transaction. An error or the caller's deadline rolls it back. Call
 * remote services before it, never inside. The result of a POST with an `Idempotency-Key` is stored
 * with its writes: the ids of what it made. In a distributed database one unit of work runs at a
 * time ({@link lockCopies}), but for concurrent ones.
 * @throws Problem `busy` when a repeat of the request was first.
 */
export function withTransaction<T>(
  ports: UnitOfWorkPorts,
  call: Call,
  run: (work: UnitOfWork) => Promise<T>,
  { isWritten = () => true, isConcurrent = false }: UnitOfWorkOptions<T> = {}
): Promise<T> {
  return call.deadline.commit(
    (begin) =>
      ports.db.transaction(async (tx) => {
        call.deadline.check()
        if (!isConcurrent) await lockCopies(tx, ports)
        const result = await run({ tx, call, at: new Date() })
        if (call.idempotencyKey && isWritten(result)) await storeResult(tx, call.idempotencyKey, result)
        begin()
        return result
      }),
    isWritten
  )
}

/** Runs a transaction without a caller on the tables of {@link withTransaction}. */
export const withBackgroundTransaction = <T>(
  ports: UnitOfWorkPorts,
  run: (tx: Transaction) => Promise<T>
): Promise<T> =>
  ports.db.transaction(async (tx) => {
    await lockCopies(tx, ports)
    return run(tx)
  })

/** Key of an advisory lock. */
const COPIES_LOCK = 2_906_183

/**
 * Lets one transaction at a time write the tables that a distributed database copies to each node.
 * Citus locks the copies of a table, and of those that its foreign keys lead to: shared to insert,
 * exclusively to update or delete. Two that insert first would wait for each other.
 */
async function lockCopies(tx: Transaction, { isDistributed }: UnitOfWorkPorts): Promise<void> {
  if (isDistributed) await tx.execute(sql`select pg_advisory_xact_lock(${COPIES_LOCK})`)
}

/**
 * A new resource id: a UUID version 7, which sorts by time and keeps index inserts local. In
 * devtest the token of the call may name another one.
 */
export const newId = (call?: Call): string => call?.caller.newId ?? v7()
