import { Type } from '@sinclair/typebox'
import { and, gt, type SQL, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { administeredPartyIds, isLimitedClerk } from '../../agreement/visibility.js'
import { rowSelection } from '../../db/sql/json-row.js'
import { pageRows } from '../../db/sql/page.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byCode, byIdentifiers, byReference, byText, byValue, byWords } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import { revisionOf, Versioned } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { toCatalogue } from '../serializers.js'
import { catalogues } from '../tables.js'
import { catalogueSoldBy, findCatalogue, seesAllCatalogues } from '../visibility.js'
import type { Catalogue } from './catalogue.schemas.js'

export const catalogueFilters = listFilters(
  byReference('seller', partyResource, 'URL of the delivering party.', catalogues.sellerId),
  byCode('status', 'catalogue-status', 'Code of a catalogue status.', catalogues.status),
  byText('name', 'The exact name.', catalogues.name),
  byIdentifiers(catalogues.identifiers),
  byValue<'administered', boolean>(
    'administered',
    Type.Boolean({
      description:
        'Catalogues that the caller can change: those of its organization or, for a clerk, of administered sellers. False lists all.'
    })
  ),
  byWords('the name', catalogues)
)
export type CatalogueFilters = Given<typeof catalogueFilters>

/**
 * Reads a catalogue. A provider only sees its own catalogues.
 * @throws Problem `not-found`.
 */
export async function viewCatalogue(ports: Ports, call: Call, id: string): Promise<Versioned<Catalogue>> {
  const row = await findCatalogue(ports.db, call, id)
  if (!row) throw problem('not-found')
  return new Versioned(toCatalogue(ports, call, row), revisionOf(row))
}

const { id, identifiers, sellerId, name, status } = catalogues
const shown = { id, identifiers, sellerId, name, status }
const selectPage = rowSelection<typeof shown, { found: number }>(shown, ['found'])

/** Lists a page of the catalogues that the caller may see, in order of creation. */
export async function listCatalogues(
  ports: Ports,
  call: Call,
  filters: CatalogueFilters,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, bytes, after } = request
  const given = catalogueFilters.parse(ports, filters)
  if (!given) return emptyPage
  if (given.administered && call.caller.userType === 'MonitoringResponsible') return emptyPage
  const where = and(
    seesAllCatalogues(call) ? undefined : catalogueSoldBy(call.caller.organization ?? ''),
    given.administered ? changeableBy(ports, call) : undefined,
    catalogueFilters.where(given),
    after ? gt(catalogues.id, after) : undefined
  )
  const page = pageRows({ table: 'catalogues', where }, { rows: limit + 1, bytes })
  const rows = await selectPage(
    ports.db,
    (columns) => sql`select ${columns}, found from ${page} order by ${catalogues.id}`
  )
  return serializedPage(
    rows,
    request,
    ({ id }) => id,
    (row) => JSON.stringify(toCatalogue(ports, call, row)),
    (rows[0]?.found ?? 0) > rows.length
  )
}

/**
 * SQL condition: a clerk may change the catalogue. Like `catalogueSoldBy`, the condition compares
 * with an array. Other users may change the catalogues that they see.
 */
const changeableBy = ({ db }: Ports, call: Call): SQL | undefined =>
  isLimitedClerk(call) ? sql`${catalogues.sellerId} = any(array${administeredPartyIds(db, call)})` : undefined
