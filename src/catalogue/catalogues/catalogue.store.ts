import { and, eq, ne, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Transaction } from '../../db/driver/database.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { recordEvents } from '../../ledger/insert.js'
import { type CatalogueRow, catalogueItems, catalogues } from '../tables.js'

/** Inserts a catalogue, with its event. */
export async function insertCatalogue(
  work: UnitOfWork,
  row: Omit<CatalogueRow, 'eventCount'>
): Promise<void> {
  await work.tx.insert(catalogues).values({ ...row, eventCount: 1 })
  await recordEvents(work, [
    { type: 'catalogue.changed', change: 'created', subjectId: row.id, sequence: 1, newStatus: row.status }
  ])
}

/** Updates a locked catalogue, with its event. */
export async function updateCatalogue(
  work: UnitOfWork,
  { id, ...values }: Omit<CatalogueRow, 'eventCount' | 'createdAt'>,
  oldStatus: string
): Promise<void> {
  const [row] = await work.tx
    .update(catalogues)
    .set({ ...values, eventCount: sql`${catalogues.eventCount} + 1` })
    .where(eq(catalogues.id, id))
    .returning({ sequence: catalogues.eventCount })
  await recordEvents(work, [
    {
      type: 'catalogue.changed',
      change: 'changed',
      subjectId: id,
      sequence: row?.sequence ?? 0,
      oldStatus,
      newStatus: values.status
    }
  ])
}

/**
 * Whether a service of the catalogue relates to a device model of another catalogue, or vice versa.
 */
export async function relatesToOtherCatalogues(tx: Transaction, catalogueId: string): Promise<boolean> {
  const service = alias(catalogueItems, 'service')
  const device = alias(catalogueItems, 'device')
  const rows = await tx
    .select({ id: service.id })
    .from(service)
    .innerJoin(device, eq(device.id, service.relatedToId))
    .where(
      and(
        ne(service.catalogueId, device.catalogueId),
        or(eq(service.catalogueId, catalogueId), eq(device.catalogueId, catalogueId))
      )
    )
    .limit(1)
  return rows.length > 0
}
