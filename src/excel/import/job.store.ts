import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '../../db/driver/database.js'
import { type UnitOfWork, withTransaction } from '../../db/unit-of-work.js'
import { insertEvents, newEvent } from '../../events/insert.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { ImportResult } from '../schemas.js'
import { type ImportRow, type ImportState, imports } from './tables.js'

/** A running import without a heartbeat for this long counts as interrupted. */
const HEARTBEAT_TIMEOUT = sql`interval '30 seconds'`
/** Imports are deleted after this time. */
const RETENTION = sql`interval '30 days'`

/** Deletes imports of which the time has passed. */
export const deleteExpiredJobs = (db: Database) =>
  db.delete(imports).where(lt(imports.createdAt, sql`now() - ${RETENTION}`))

/** Records a running import, and deletes expired ones. */
export async function insertJob(db: Database, actor: Actor, id: string, dryRun: boolean): Promise<void> {
  const now = new Date()
  await deleteExpiredJobs(db)
  await withTransaction(db, actor, async ({ tx }) => {
    await tx.insert(imports).values({
      id,
      state: 'running',
      phase: 'reading',
      rowsDone: 0,
      rows: 0,
      dryRun,
      ...callerColumns(actor),
      createdAt: now,
      changedAt: now
    })
    return id
  })
}

const callerColumns = ({ userType, userId, organization }: Actor) => ({
  userType,
  userId: userId ?? null,
  organization: organization ?? null
})

/**
 * Records the success of an import that its caller waits for, so that its id can be read too. Must
 * run in the transaction that writes its rows. One that changed nothing is not recorded.
 */
export async function insertSucceeded({ tx, actor, at }: UnitOfWork, report: ImportResult): Promise<void> {
  if (!report.import) return
  await tx.insert(imports).values({
    id: report.import,
    dryRun: false,
    createdAt: at,
    changedAt: at,
    ...successColumns(report),
    ...callerColumns(actor)
  })
}

const running = (id: string) => and(eq(imports.id, id), eq(imports.state, 'running'))

/** Records the progress of a running import. This is also its heartbeat. */
export async function saveProgress(
  db: Database,
  id: string,
  progress: Pick<ImportRow, 'phase' | 'rowsDone' | 'rows'>
): Promise<void> {
  await db
    .update(imports)
    .set({ ...progress, changedAt: sql`now()` })
    .where(running(id))
}

/**
 * Records success. Must run in the transaction that writes the rows of the import.
 * @returns false if the import is no longer running (interrupted or failed) and must be rolled
 *   back.
 */
export async function markSucceeded(work: UnitOfWork, id: string, report: ImportResult): Promise<boolean> {
  return endJob(work.tx, running(id), { ...successColumns(report), changedAt: sql`now()` }, work.actor)
}

function successColumns(report: ImportResult) {
  const { created, changed, unchanged, annotations, whiteList } = report
  const rows =
    created +
    changed +
    unchanged +
    [annotations, whiteList].reduce((sum, each) => sum + each.created + each.unchanged, 0)
  return { state: 'succeeded', phase: 'done', rowsDone: rows, rows, report } as const
}

/** Records the end of a running import, with its event. Returns false if there is none. */
async function endJob(
  tx: Transaction,
  condition: SQL | undefined,
  end: PgUpdateSetSource<typeof imports> & { state: ImportState },
  actor: Pick<Actor, 'traceparent'> = {}
): Promise<boolean> {
  const ended = await tx.update(imports).set(end).where(condition).returning({ id: imports.id })
  const { state: newStatus } = end
  const inputs = ended.map(({ id: subjectId }) => ({
    type: 'import.finished' as const,
    change: 'changed' as const,
    subjectId,
    sequence: 1,
    oldStatus: 'running',
    newStatus
  }))
  await insertEvents(
    tx,
    inputs.map((input) => newEvent(actor, new Date(), input))
  )
  return ended.length > 0
}

/**
 * Records failure or interruption, unless the import has succeeded. The transaction of the import
 * updates the same row last: if it is in flight this waits for it; if this comes first, that
 * transaction is rolled back.
 */
export async function markEnded(
  db: Database,
  id: string,
  end: { state: 'failed'; problem: Record<string, unknown> } | { state: 'interrupted' }
): Promise<void> {
  await db.transaction((tx) => endJob(tx, running(id), { ...end, changedAt: sql`now()` }))
}

const isLost = and(eq(imports.state, 'running'), lt(imports.changedAt, sql`now() - ${HEARTBEAT_TIMEOUT}`))

/**
 * Records imports without heartbeats as interrupted. Their callers may wait for the event, and not
 * ask for the import.
 */
export async function endLostJobs(db: Database): Promise<void> {
  const lost = await db.select({ id: imports.id }).from(imports).where(isLost).limit(1)
  if (lost.length > 0) await db.transaction((tx) => endJob(tx, isLost, { state: 'interrupted' }))
}

/**
 * Finds an import that the caller started. One without heartbeats becomes interrupted, and its
 * transaction is rolled back if it still runs.
 */
export async function findJob(db: Database, actor: Actor, id: string): Promise<ImportRow | undefined> {
  await db.transaction((tx) => endJob(tx, and(eq(imports.id, id), isLost), { state: 'interrupted' }))
  const [row] = await db
    .select()
    .from(imports)
    .where(
      and(
        eq(imports.id, id),
        eq(imports.userType, actor.userType),
        sql`${imports.userId} is not distinct from ${actor.userId ?? null}`,
        sql`${imports.organization} is not distinct from ${actor.organization ?? null}`
      )
    )
  return row
}
