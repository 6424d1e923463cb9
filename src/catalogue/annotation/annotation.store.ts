import { and, eq, inArray, type SQL } from 'drizzle-orm'
import { administeredPartyIds } from '../../agreement/visibility.js'
import type { Queryable } from '../../db/driver/database.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { ResourceChange } from '../../ledger/event-types.js'
import { recordEvents } from '../../ledger/insert.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
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
export const isOwnAnnotation = (db: Queryable, call: Call, id: string) =>
  and(eq(annotations.id, id), inArray(annotations.buyerId, administeredPartyIds(db, call)))

/** Finds the annotation with this id, if it is of the caller's organization. */
export const findOwnAnnotation = (db: Queryable, call: Call, id: string) =>
  db
    .select(writtenColumns(annotations))
    .from(annotations)
    .where(isOwnAnnotation(db, call, id))

export async function updateAnnotation(
  work: UnitOfWork,
  id: string,
  values: AnnotationValues
): Promise<void> {
  const { tx, call } = work
  const [stored] = await findOwnAnnotation(tx, call, id).for('update')
  if (!stored) throw problem('not-found')
  assertRevision(call, () => revisionOf(stored))
  const row = { ...stored, ...values, eventCount: stored.eventCount + 1 }
  await tx.update(annotations).set(row).where(eq(annotations.id, id))
  await recordAnnotationEvents(work, 'changed', [row])
}

/** Deletes annotations, with their events, and returns them as they were. */
export async function deleteAnnotations(
  work: UnitOfWork,
  condition: SQL | undefined
): Promise<AnnotationRow[]> {
  const rows = await work.tx.delete(annotations).where(condition).returning(writtenColumns(annotations))
  const deleted = rows.map((row) => ({ ...row, eventCount: row.eventCount + 1 }))
  await recordAnnotationEvents(work, 'deleted', deleted)
  return rows
}
