import { and, gt, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { organizationPartyIds } from '../../agreement/visibility.js'
import { jsonText } from '../../db/json/serializer.js'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement, storedBytes } from '../../db/sql/page.js'
import { type Given, listFilters, type Params } from '../../filters/filter.js'
import { byCode, byReference, byText, byWords } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { catalogueSerializers } from '../serializers.js'
import { catalogues } from '../tables.js'
import { findCatalogue, seesAllCatalogues } from '../visibility.js'
import type { Catalogue } from './catalogue.schemas.js'

/** The filters of the list of catalogues. */
export const catalogueFilters = listFilters(
  byReference('seller', partyResource, 'URL of the delivering party.', catalogues.sellerId),
  byCode('status', 'catalogue-status', 'Code of a catalogue status.', catalogues.status),
  byText('name', 'The exact name.', catalogues.name),
  byWords('the name', catalogues)
)
export type CatalogueFilters = Given<typeof catalogueFilters>

/**
 * Reads a catalogue. A provider only sees its own.
 * @throws Problem `not-found`.
 */
export async function viewCatalogue(ports: Ports, call: Call, id: string): Promise<Versioned<Catalogue>> {
  const row = await findCatalogue(ports.db, call, id)
  if (!row) throw problem('not-found')
  return new Versioned(catalogueSerializers(ports).catalogue.toJson(row), revisionOf(row))
}

type CatalogueListParams = Params<typeof catalogueFilters> & {
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
        catalogueFilters.where(active),
        active.after && gt(catalogues.id, active.after)
      )
    })
  )
})

/** Lists a page of the catalogues that the caller may see, in order of creation. */
export async function listCatalogues(
  ports: Ports,
  call: Call,
  filters: CatalogueFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const given = catalogueFilters.parse(ports, filters)
  if (!given) return emptyPage
  const params: CatalogueListParams = {
    ...given,
    ownSeller: seesAllCatalogues(call) ? undefined : (call.caller.organization ?? ''),
    after: request.after
  }
  const rows = await pages(ports)(ports.db, params, { rows: request.limit + 1, bytes: request.bytes })
  return rawJsonPage(rows, request, ([id]) => String(id))
}
