import { and, eq, inArray } from 'drizzle-orm'
import { partiesOf } from '../../agreement/lookup.js'
import type { Queryable } from '../../db/driver/database.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { annotations } from '../tables.js'

export type AnnotationRow = typeof annotations.$inferSelect
export type AnnotationValues = Omit<typeof annotations.$inferInsert, 'id' | 'createdAt'>

/** Writes new annotations and answers their ids. */
export async function saveAnnotations(
  { tx, at }: UnitOfWork,
  values: readonly AnnotationValues[]
): Promise<string[]> {
  const rows = values.map((each) => ({ id: newId(), ...each }))
  await insertAll(tx, annotations, rows, { createdAt: at })
  return rows.map((row) => row.id)
}

/** The condition that an annotation is there and a buyer of the caller's organization owns it. */
const owned = (db: Queryable, actor: Actor, id: string) =>
  and(eq(annotations.id, id), inArray(annotations.buyerId, partiesOf(db, actor.organization ?? '')))

/** Whether an annotation is there and the caller's. */
export async function isOwnAnnotation(db: Queryable, actor: Actor, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: annotations.id })
    .from(annotations)
    .where(owned(db, actor, id))
  return rows.length > 0
}

/** Writes an annotation in place of one of the caller's; false when there is none. */
export async function updateAnnotation(
  work: UnitOfWork,
  id: string,
  values: AnnotationValues
): Promise<boolean> {
  const rows = await work.tx
    .update(annotations)
    .set(values)
    .where(owned(work.tx, work.actor, id))
    .returning({ id: annotations.id })
  return rows.length > 0
}

/** Removes an annotation of the caller's; false when there is none. */
export async function removeAnnotation(work: UnitOfWork, id: string): Promise<boolean> {
  const rows = await work.tx
    .delete(annotations)
    .where(owned(work.tx, work.actor, id))
    .returning({ id: annotations.id })
  return rows.length > 0
}
