import { and, eq, gt, sql } from 'drizzle-orm'
import { partyKind } from '../../agreement/resources.js'
import { jsonText, storedJsonSize } from '../../db/json/serializer.js'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageValues, pageStatement } from '../../db/sql/page.js'
import type { Actor } from '../../platform/auth/actor.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { parseFilterUrls } from '../../platform/rest/resource-urls.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { parseCodeFilter } from '../../terminology/known-code.js'
import { catalogueSerializers } from '../serializers.js'
import { catalogues } from '../tables.js'
import { catalogueVisibleTo, isUnlimited, ofOrganization } from '../visibility.js'
import type { Catalogue } from './catalogue.schemas.js'

export interface CatalogueFilters {
  seller?: string
  status?: string
}

/**
 * A catalogue as its readers see it; a provider sees its own.
 * @throws Problem `not-found`.
 */
export async function viewCatalogue(ports: Ports, actor: Actor, id: string): Promise<Catalogue> {
  const { db } = ports
  const [row] = await db
    .select()
    .from(catalogues)
    .where(and(eq(catalogues.id, id), catalogueVisibleTo(ports, actor)))
  if (!row) throw problem('not-found', 'There is no such catalogue.')
  return catalogueSerializers(ports).catalogue.toJson(row)
}

/** The filters as the statement has them: ids, stored codes. */
interface Sought {
  seller: string | undefined
  status: string | undefined
  /** The organization that sells, where the caller sees its own catalogues only. */
  ownSeller: string | undefined
  after: string | undefined
}

const pages = memoizePerApp((ports: Ports) => {
  const { catalogue } = catalogueSerializers(ports)
  return dynamicQuery<Sought, PageValues, [id: Buffer, json: Buffer | null]>((given) =>
    pageStatement({
      table: 'catalogues',
      columns: sql`catalogues.id`,
      json: jsonText(catalogue, 'catalogues'),
      size: storedJsonSize(catalogue, 'catalogues'),
      from: sql`from catalogues`,
      where: and(
        given.ownSeller && ofOrganization(ports.db, given.ownSeller),
        given.seller && eq(catalogues.sellerId, given.seller),
        given.status && eq(catalogues.status, given.status),
        given.after && gt(catalogues.id, given.after)
      ),
      orderBy: sql`catalogues.id`
    })
  )
})

/** A page of the catalogues within the caller's reach, in order of creation. */
export async function listCatalogues(
  ports: Ports,
  actor: Actor,
  { status, ...others }: CatalogueFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { db, references, terminology } = ports
  const ids = parseFilterUrls(references, others, { seller: partyKind })
  const code = parseCodeFilter(terminology, 'catalogue-status', 'status', status)
  if (!ids) return emptyPage
  const sought: Sought = {
    seller: ids.seller,
    status: code,
    ownSeller: isUnlimited(actor) ? undefined : (actor.organization ?? ''),
    after: request.after
  }
  const rows = await pages(ports)(db, sought, { rows: request.limit + 1, bytes: request.bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
