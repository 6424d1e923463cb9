import { and, eq, inArray, sql } from 'drizzle-orm'
import { administeredPartyIds } from '../../agreement/visibility.js'
import type { Queryable } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { memberTypes, rowArrays } from '../../db/sql/row-arrays.js'
import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { ResourceChange } from '../../ledger/event-types.js'
import { recordEvents } from '../../ledger/insert.js'
import type { Call } from '../../platform/auth/call.js'
import { assertRevision, revisionOf } from '../../platform/rest/revision.js'
import { type AnnotationRow, annotations } from '../tables.js'

export type AnnotationValues = Omit<AnnotationRow, 'id' | 'createdAt' | 'eventCount'>

/** Inserts annotations, with their events, and returns them with their ids. */
export async function saveAnnotations(
  work: UnitOfWork,
  values: readonly AnnotationValues[]
): Promise<AnnotationRow[]> {
  const rows = values.map(({ itemId, buyerId, name, system, code, display }) => ({
    id: newId(),
    itemId,
    buyerId,
    name,
    system,
    code,
    display,
    eventCount: 1,
    createdAt: work.at
  }))
  await insertAll(work.tx, annotations, rows)
  await recordAnnotationEvents(work, 'created', rows)
  return rows
}

const key = ['itemId', 'buyerId', 'name', 'system', 'code'] as const
export type AnnotationKey = Pick<AnnotationRow, (typeof key)[number]>

/** Those of the annotations that exist. */
export async function existingAnnotations(db: Queryable, values: readonly AnnotationKey[]) {
  const { id, itemId, buyerId, name, system, code } = annotations
  return db
    .select({ id, itemId, buyerId, name, system, code })
    .from(annotations)
    .where(
      sql`(${itemId}, ${buyerId}, ${name}, ${system}, ${code}) in (
        select r."itemId", r."buyerId", r."name", r."system", r."code"
        from ${rowArrays(memberTypes(annotations, key), values)})`
    )
}

const recordAnnotationEvents = (
  work: UnitOfWork,
  change: ResourceChange,
  rows: readonly Pick<AnnotationRow, 'id' | 'buyerId' | 'eventCount'>[]
): Promise<void> =>
  recordEvents(
    work,
    rows.map(({ id, buyerId, eventCount }) => ({
      type: 'annotation.changed',
      change,
      subjectId: id,
      ownerId: buyerId,
      sequence: eventCount
    }))
  )

/**
 * SQL condition: the annotation has this id and belongs to a buyer that the caller's organization
 * administers.
 */
const isOwn = (db: Queryable, call: Call, id: string) =>
  and(eq(annotations.id, id), inArray(annotations.buyerId, administeredPartyIds(db, call)))

/** Finds the annotation with this id, if it is of the caller's organization. */
export const findOwnAnnotation = (db: Queryable, call: Call, id: string) =>
  db
    .select(writtenColumns(annotations))
    .from(annotations)
    .where(isOwn(db, call, id))

/**
 * Replaces an annotation of the caller's organization, with its event. Returns false when there is
 * none.
 * @throws Problem `precondition-failed`.
 */
export async function updateAnnotation(
  work: UnitOfWork,
  id: string,
  values: AnnotationValues
): Promise<boolean> {
  const { tx, call } = work
  for (const row of await findOwnAnnotation(tx, call, id).for('update'))
    assertRevision(call, () => revisionOf(row))
  const rows = await tx
    .update(annotations)
    .set({ ...values, eventCount: sql`${annotations.eventCount} + 1` })
    .where(isOwn(tx, call, id))
    .returning(writtenColumns(annotations))
  await recordAnnotationEvents(work, 'changed', rows)
  return rows.length > 0
}

/**
 * Deletes an annotation of the caller's organization, with its event. Returns false when there is
 * none.
 * @throws Problem `precondition-failed`.
 */
export async function deleteAnnotationRow(work: UnitOfWork, id: string): Promise<boolean> {
  const rows = await work.tx
    .delete(annotations)
    .where(isOwn(work.tx, work.call, id))
    .returning(writtenColumns(annotations))
  for (const row of rows) assertRevision(work.call, () => revisionOf(row))
  await recordDeletion(work, rows)
  return rows.length > 0
}

/** Deletes annotations that the transaction has locked, with their events. */
export async function deleteAnnotations(work: UnitOfWork, ids: readonly string[]): Promise<void> {
  const rows = await work.tx
    .delete(annotations)
    .where(inIds(annotations.id, ids))
    .returning(writtenColumns(annotations))
  await recordDeletion(work, rows)
}

const recordDeletion = (work: UnitOfWork, rows: readonly AnnotationRow[]): Promise<void> =>
  recordAnnotationEvents(
    work,
    'deleted',
    rows.map((row) => ({ ...row, eventCount: row.eventCount + 1 }))
  )
