import { and, eq, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/driver/database.js'
import { withTransaction } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { ImportResult } from '../schemas.js'
import { type ImportRow, imports } from './tables.js'

/** A running import without a heartbeat for this long counts as interrupted. */
const HEARTBEAT_TIMEOUT = sql`interval '30 seconds'`
/** Imports are deleted after this time. */
const RETENTION = sql`interval '30 days'`

/** Records a running import, and deletes expired ones. */
export async function insertJob(db: Database, actor: Actor, id: string, dryRun: boolean): Promise<void> {
  const now = new Date()
  await db.delete(imports).where(lt(imports.createdAt, sql`now() - ${RETENTION}`))
  await withTransaction(db, actor, async ({ tx }) => {
    await tx.insert(imports).values({
      ...{ id, state: 'running', phase: 'reading', rowsDone: 0, rows: 0, dryRun },
      ...{ userType: actor.userType, userId: actor.userId ?? null, organization: actor.organization ?? null },
      ...{ createdAt: now, changedAt: now }
    })
    return id
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
export async function markSucceeded(tx: Transaction, id: string, report: ImportResult): Promise<boolean> {
  const { created, changed, unchanged, annotations, whiteList } = report
  const rows =
    created +
    changed +
    unchanged +
    [annotations, whiteList].reduce((sum, each) => sum + each.created + each.unchanged, 0)
  const updated = await tx
    .update(imports)
    .set({ state: 'succeeded', phase: 'done', rowsDone: rows, rows, report, changedAt: sql`now()` })
    .where(running(id))
    .returning({ id: imports.id })
  return updated.length > 0
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
  await db
    .update(imports)
    .set({ ...end, changedAt: sql`now()` })
    .where(running(id))
}

/**
 * Finds an import that the caller started. One without heartbeats becomes interrupted, and its
 * transaction is rolled back if it still runs.
 */
export async function findJob(db: Database, actor: Actor, id: string): Promise<ImportRow | undefined> {
  await db
    .update(imports)
    .set({ state: 'interrupted' })
    .where(and(running(id), lt(imports.changedAt, sql`now() - ${HEARTBEAT_TIMEOUT}`)))
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
