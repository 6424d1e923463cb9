import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { sellersInForce } from '../../agreement/lookup.js'
import { partyResource } from '../../agreement/resources.js'
import { jsonText, openJsonText, quoteLiteral } from '../../db/json/serializer.js'
import { type ActiveFilters, dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement, rowBytes, storedBytes } from '../../db/sql/page.js'
import type { Call } from '../../platform/auth/call.js'
import type { PageRequest } from '../../platform/rest/pagination.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { catalogueSerializers } from '../serializers.js'
import { catalogueItems } from '../tables.js'
import { catalogueSoldBy, seesAllCatalogues } from '../visibility.js'
import { type ItemParams, itemFilters } from './item-filters.js'

/** The filters as parameters of the statement. */
export type ItemSearchParams = ItemParams & {
  /** The buyer whose annotations are shown. */
  shownTo: string | undefined
  after: string | undefined
}

/** Characters of an id. */
const UUID_LENGTH = 36

type ItemSearchRow = [id: Buffer, json: Buffer | null]

const searches = memoizePerApp((ports: Ports) => {
  const { item, annotation } = catalogueSerializers(ports)
  const sellers = quoteLiteral(`,"seller":"${ports.resourceUrls.url(partyResource, '')}`)
  const [open, text] = [openJsonText(item, 'catalogue_items'), jsonText(annotation, 'a')]
  const sold = sql`${open} || ${sql.raw(sellers)} || (
    select seller_id from catalogues c where c.id = catalogue_items.catalogue_id) || '"'`
  const size = sql`${storedBytes('catalogue_items')} + ${sql.raw(String(sellers.length + UUID_LENGTH))}`
  const annotationsOf = (buyer: Placeholder, value: SQL) => sql`(
    select ${value} from annotations a where a.item_id = catalogue_items.id and a.buyer_id = ${buyer})`
  const annotated = (buyer: Placeholder) => ({
    json: sql`${sold} || ',"annotations":[' || coalesce(${annotationsOf(buyer, sql`string_agg(${text}, ',' order by a.id)`)}, '') || ']}'`,
    size: sql`${size} + coalesce(${annotationsOf(buyer, sql`sum(${rowBytes('a')})`)}, 0)`
  })
  const visibleItems = (visibility: SQL | undefined) =>
    dynamicQuery<ItemSearchParams, PageLimits & { organization: string; today: string }, ItemSearchRow>(
      (active) => {
        const conditions = [
          visibility,
          active.buyer && orderableTo(active.buyer),
          active.patient && notBlackListed(active.patient),
          itemFilters.where(active),
          active.after && followsItem(active.after)
        ]
        return pageStatement({
          table: 'catalogue_items',
          columns: sql`catalogue_items.id`,
          ...(active.shownTo ? annotated(active.shownTo) : { json: sql`${sold} || '}'`, size }),
          from: sql`from ${itemsOf(active)} ${cataloguesOf(active, visibility)}`,
          where: and(...conditions),
          orderBy: sql`catalogue_items.name, catalogue_items.id`
        })
      }
    )
  return {
    any: visibleItems(undefined),
    own: visibleItems(catalogueSoldBy(ports.db, sql.placeholder('organization')))
  }
})

/**
 * Finds the ids and the JSON of the items of a page that the caller may see, and of one more item.
 */
export const runItemSearch = (
  ports: Ports,
  call: Call,
  params: ItemSearchParams,
  { limit, bytes }: Omit<PageRequest<string>, 'after'>
) =>
  searches(ports)[seesAllCatalogues(call) ? 'any' : 'own'](ports.db, params, {
    organization: call.caller.organization ?? '',
    today: ports.today(),
    rows: limit + 1,
    bytes
  })

/** Items are sorted by name, then id. A cursor holds only the id, because names can be long. */
const followsItem = (id: Placeholder) =>
  sql`(${catalogueItems.name}, ${catalogueItems.id}) > ((select name from catalogue_items where id = ${id}), ${id}::uuid)`

type Active = ActiveFilters<ItemSearchParams>

/**
 * SQL for the items to search: those on the buyer's white list, of the catalogue, related to the
 * item, and annotated. `offset 0` makes PostgreSQL read a white list first; otherwise it expects
 * few items of a seller or with a word, and looks up each of them on the white list.
 */
function itemsOf(active: Active): SQL {
  const named = and(
    active.buyer && sql`w.buyer_id = ${active.buyer}`,
    active.catalogue && eq(catalogueItems.catalogueId, active.catalogue),
    active.relatedTo && eq(catalogueItems.relatedToId, active.relatedTo)
  )
  const from = sql`catalogue_items ${annotatedWith(active)}`
  if (!named) return from
  const listed = active.buyer && sql`join white_list_entries w on w.item_id = catalogue_items.id`
  return sql`(select catalogue_items.* from ${from} ${listed} where ${named}
    ${active.buyer && sql`offset 0`}) catalogue_items`
}

/**
 * SQL for the catalogues of the items, if a condition needs them: words may match most items. Those
 * of a white list are looked up one by one, as PostgreSQL would else begin with a seller's.
 */
function cataloguesOf(active: Active, visibility: SQL | undefined): SQL {
  if (active.buyer)
    return sql`cross join lateral (
      select * from catalogues where id = catalogue_items.catalogue_id offset 0) catalogues`
  if (!visibility && !active.seller) return sql``
  return sql`join catalogues on catalogues.id = catalogue_items.catalogue_id`
}

/**
 * SQL condition: the item is available, and in an active catalogue of a seller with a contract in
 * force today.
 */
const orderableTo = (buyer: Placeholder): SQL => sql`
  catalogues.status = 'ACTIVE' and catalogue_items.status = 'AVAILABLE'
  and catalogues.seller_id = any(array(${sellersInForce(buyer, sql.placeholder('today'))}))`

const notBlackListed = (patient: Placeholder): SQL => sql`
  not exists (select from black_list_entries b where b.patient = ${patient} and b.item_id = catalogue_items.id)`

/**
 * Joins the items that have all of these annotation values. `offset 0` makes PostgreSQL evaluate
 * them first; otherwise it estimates a single match and scans all other items once per match.
 */
function annotatedWith(active: Active): SQL {
  const matches: SQL[] = []
  for (let at = 0; active[`code${at}`]; at++) {
    const name = active[`name${at}`]
    matches.push(sql`
      select item_id from annotations where system = ${active[`system${at}`]} and code = ${active[`code${at}`]}
      ${active.buyer ? sql`and buyer_id = ${active.buyer}` : sql``} ${name ? sql`and name = ${name}` : sql``}`)
  }
  if (matches.length === 0) return sql``
  return sql`join (select distinct item_id from (${sql.join(matches, sql` intersect `)}) each offset 0) annotated
    on annotated.item_id = catalogue_items.id`
}
