import { and, eq, ne, or } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Transaction } from '../../db/driver/database.js'
import { catalogueItems } from '../tables.js'

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
