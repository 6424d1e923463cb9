import { and, eq, gt, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { organizationPartyIds } from '../../agreement/visibility.js'
import { jsonText } from '../../db/json/serializer.js'
import { type WordParams, wordParams, wordsMatch } from '../../db/sql/conditions.js'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement, storedBytes } from '../../db/sql/page.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import { parseFilterUrls } from '../../platform/util/resource-urls.js'
import { searchPatterns } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { parseCodeFilter } from '../../terminology/known-code.js'
import { catalogueSerializers } from '../serializers.js'
import { catalogues } from '../tables.js'
import { catalogueVisibleTo, seesAllCatalogues } from '../visibility.js'
import type { Catalogue } from './catalogue.schemas.js'

export interface CatalogueFilters {
  seller?: string
  status?: string
  name?: string
  q?: string
}

/**
 * Reads a catalogue. A provider only sees its own.
 * @throws Problem `not-found`.
 */
export async function viewCatalogue(ports: Ports, call: Call, id: string): Promise<Versioned<Catalogue>> {
  const [row] = await ports.db
    .select()
    .from(catalogues)
    .where(and(eq(catalogues.id, id), catalogueVisibleTo(ports, call)))
  if (!row) throw problem('not-found', 'There is no such catalogue.')
  return new Versioned(catalogueSerializers(ports).catalogue.toJson(row), revisionOf(row))
}

/** The filters as parameters of the statement: ids, stored codes. */
interface CatalogueListParams extends WordParams {
  seller: string | undefined
  status: string | undefined
  name: string | undefined
  /** URL of the selling organization, when the caller only sees its own catalogues. */
  ownSeller: string | undefined
  after: string | undefined
}

const pages = memoizePerApp((ports: Ports) => {
  const { catalogue } = catalogueSerializers(ports)
  return dynamicQuery<CatalogueListParams, PageLimits, [id: Buffer, json: Buffer | null]>((active) =>
    pageStatement({
      table: 'catalogues',
      json: jsonText(catalogue, 'catalogues'),
      size: storedBytes('catalogues'),
      where: and(
        // An array: else PostgreSQL looks up the seller of each catalogue that has the words.
        active.ownSeller &&
          sql`${catalogues.sellerId} = any(array${organizationPartyIds(ports.db, active.ownSeller)})`,
        active.seller && eq(catalogues.sellerId, active.seller),
        active.status && eq(catalogues.status, active.status),
        active.name && eq(catalogues.name, active.name),
        wordsMatch(catalogues, active),
        active.after && gt(catalogues.id, active.after)
      )
    })
  )
})

/** Lists a page of the catalogues that the caller may see, in order of creation. */
export async function listCatalogues(
  ports: Ports,
  call: Call,
  { status, name, q, ...others }: CatalogueFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { db, resourceUrls, terminology, limits } = ports
  const ids = parseFilterUrls(resourceUrls, others, { seller: partyResource })
  const code = parseCodeFilter(terminology, 'catalogue-status', 'status', status)
  const words = wordParams(searchPatterns(limits, q))
  if (!ids) return emptyPage
  const params: CatalogueListParams = {
    seller: ids.seller,
    status: code,
    name,
    ...words,
    ownSeller: seesAllCatalogues(call) ? undefined : (call.caller.organization ?? ''),
    after: request.after
  }
  const rows = await pages(ports)(db, params, { rows: request.limit + 1, bytes: request.bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
