import { and, eq, inArray } from 'drizzle-orm'
import { organizationPartyIds } from '../../agreement/lookup.js'
import type { Queryable } from '../../db/driver/database.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { annotations } from '../tables.js'

export type AnnotationRow = typeof annotations.$inferSelect
export type AnnotationValues = Omit<typeof annotations.$inferInsert, 'id' | 'createdAt'>

/** Inserts annotations and returns their ids. */
export async function saveAnnotations(
  { tx, at }: UnitOfWork,
  values: readonly AnnotationValues[]
): Promise<string[]> {
  const rows = values.map((each) => ({ id: newId(), ...each }))
  await insertAll(tx, annotations, rows, { createdAt: at })
  return rows.map((row) => row.id)
}

/**
 * SQL condition: the annotation has this id and belongs to a buyer of the caller's organization.
 */
const isOwn = (db: Queryable, actor: Actor, id: string) =>
  and(
    eq(annotations.id, id),
    inArray(annotations.buyerId, organizationPartyIds(db, actor.organization ?? ''))
  )

/** Whether the caller's organization has such an annotation. */
export async function isOwnAnnotation(db: Queryable, actor: Actor, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: annotations.id })
    .from(annotations)
    .where(isOwn(db, actor, id))
  return rows.length > 0
}

/** Replaces an annotation of the caller's organization. Returns false when there is none. */
export async function updateAnnotation(
  work: UnitOfWork,
  id: string,
  values: AnnotationValues
): Promise<boolean> {
  const rows = await work.tx
    .update(annotations)
    .set(values)
    .where(isOwn(work.tx, work.actor, id))
    .returning({ id: annotations.id })
  return rows.length > 0
}

/** Deletes an annotation of the caller's organization. Returns false when there is none. */
export async function deleteAnnotationRow(work: UnitOfWork, id: string): Promise<boolean> {
  const rows = await work.tx
    .delete(annotations)
    .where(isOwn(work.tx, work.actor, id))
    .returning({ id: annotations.id })
  return rows.length > 0
}
