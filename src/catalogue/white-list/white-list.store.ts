import type { SQL } from 'drizzle-orm'
import { insertAll } from '../../db/sql/insert-all.js'
import { newId, type UnitOfWork } from '../../db/unit-of-work.js'
import { recordEvents } from '../../ledger/insert.js'
import { type WhiteListRow, whiteListEntries } from '../tables.js'

export type WhiteListPair = Pick<WhiteListRow, 'buyerId' | 'itemId'>

/** Inserts entries, with their events, and returns them with their ids. */
export async function saveWhiteListEntries(
  work: UnitOfWork,
  pairs: readonly WhiteListPair[]
): Promise<(WhiteListPair & { id: string })[]> {
  const rows = pairs.map(({ buyerId, itemId }) => ({ id: newId(), buyerId, itemId }))
  await insertAll(work.tx, whiteListEntries, rows, { createdAt: work.at })
  await recordEntryEvents(work, 'created', rows)
  return rows
}

/** Records the events of entries, which are created and deleted, and never change. */
const recordEntryEvents = (
  work: UnitOfWork,
  change: 'created' | 'deleted',
  rows: readonly Pick<WhiteListRow, 'id' | 'buyerId'>[]
): Promise<void> =>
  recordEvents(
    work,
    rows.map(({ id, buyerId }) => ({
      type: 'white-list.changed',
      change,
      subjectId: id,
      ownerId: buyerId,
      sequence: change === 'created' ? 1 : 2
    }))
  )

export async function deleteWhiteListEntries(
  work: UnitOfWork,
  condition: SQL | undefined
): Promise<WhiteListRow[]> {
  const rows = await work.tx.delete(whiteListEntries).where(condition).returning()
  await recordEntryEvents(work, 'deleted', rows)
  return rows
}
