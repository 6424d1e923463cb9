import { and, eq, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/driver/database.js'
import { withTransaction } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { ImportAnswer } from '../schemas.js'
import { type ImportRow, imports } from './tables.js'

/** How long a running import may give no sign of life before it counts as interrupted, and how long imports are told of. */
const silence = sql`interval '30 seconds'`
const kept = sql`interval '30 days'`

/** Notes that an import runs, and forgets those of long ago. */
export async function openJob(db: Database, actor: Actor, id: string, dryRun: boolean): Promise<void> {
  const now = new Date()
  await db.delete(imports).where(lt(imports.createdAt, sql`now() - ${kept}`))
  await withTransaction(db, actor, ({ tx }) =>
    tx.insert(imports).values({
      ...{ id, state: 'running', phase: 'reading', rowsDone: 0, rows: 0, dryRun },
      ...{ userType: actor.userType, userId: actor.userId ?? null, organization: actor.organization ?? null },
      ...{ createdAt: now, changedAt: now }
    })
  )
}

const running = (id: string) => and(eq(imports.id, id), eq(imports.state, 'running'))

/** Notes how far an import is, which is also a sign of life. */
export async function noteProgress(
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
 * Notes that an import succeeded; false when it was given up for interrupted before, and must not take effect any more. To be called
 * in the transaction that writes its rows.
 */
export async function noteSuccess(tx: Transaction, id: string, report: ImportAnswer): Promise<boolean> {
  const { created, changed, unchanged, annotations } = report
  const rows = created + changed + unchanged + annotations.created + annotations.unchanged
  const noted = await tx
    .update(imports)
    .set({ state: 'succeeded', phase: 'done', rowsDone: rows, rows, report, changedAt: sql`now()` })
    .where(running(id))
    .returning({ id: imports.id })
  return noted.length > 0
}

/**
 * Notes how an import ended, unless it has taken effect. The transaction of the import changes the same row last: where that
 * one is still under way this waits for it, and where this comes first that one is rolled back.
 */
export async function noteEnd(
  db: Database,
  id: string,
  end: { state: 'failed'; problem: Record<string, unknown> } | { state: 'interrupted' }
): Promise<void> {
  await db
    .update(imports)
    .set({ ...end, changedAt: sql`now()` })
    .where(running(id))
}

/** An import of the caller's own. One whose process is gone is interrupted from now on: whatever it still does is rolled back. */
export async function findJob(db: Database, actor: Actor, id: string): Promise<ImportRow | undefined> {
  await db
    .update(imports)
    .set({ state: 'interrupted' })
    .where(and(running(id), lt(imports.changedAt, sql`now() - ${silence}`)))
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
