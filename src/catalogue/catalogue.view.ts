import { and, eq } from 'drizzle-orm'
import { partyKind } from '../agreement/kinds.js'
import type { Actor } from '../platform/actor.js'
import { problem } from '../platform/problem.js'
import type { Ports } from '../ports.js'
import type { Catalogue } from './catalogue.schemas.js'
import { withinReach } from './own.js'
import { catalogues } from './tables.js'

/**
 * A catalogue as its readers see it; a provider sees its own.
 * @throws Problem `not-found`.
 */
export async function viewCatalogue(ports: Ports, actor: Actor, id: string): Promise<Catalogue> {
  const { db, references, terminology } = ports
  const [row] = await db
    .select()
    .from(catalogues)
    .where(and(eq(catalogues.id, id), withinReach(db, actor)))
  if (!row) throw problem('not-found', 'There is no such catalogue.')
  return {
    id: row.id,
    identifiers: row.identifiers,
    seller: references.url(partyKind, row.sellerId),
    name: row.name,
    status: terminology.coding('catalogue-status', row.status)
  }
}
