import { eq, type Placeholder, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Call } from '../platform/auth/call.js'

/** The two sides of an order and of its devices. */
export type Side = 'buyer' | 'seller'

/**
 * The side that the caller acts for.
 * @throws Error for a scope that belongs to neither side.
 */
export function sideOf({ scope }: Call): Side {
  if (scope === 'own-buyer') return 'buyer'
  if (scope === 'own-seller') return 'seller'
  throw new Error(`The scope ${scope} has no side.`)
}

/** Makes a value for each side. */
export const bySide = <T>(of: (side: Side) => T): Record<Side, T> => ({
  buyer: of('buyer'),
  seller: of('seller')
})

/** SQL condition: the row belongs to an organization on one side. */
export const ofOrganization = (
  table: Record<'buyerOrganization' | 'sellerOrganization', PgColumn>,
  side: Side,
  organization: string | SQL | Placeholder
): SQL => eq(side === 'buyer' ? table.buyerOrganization : table.sellerOrganization, organization)
