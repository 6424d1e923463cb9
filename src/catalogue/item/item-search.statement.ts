import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { sellersInForce } from '../../agreement/lookup.js'
import { currentPatient } from '../../clinical/current-patient.js'
import { type ActiveFilters, dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageRows, storedBytes } from '../../db/sql/page.js'
import { catalogueItems } from '../tables.js'
import { catalogueSoldBy } from '../visibility.js'
import { type FoundItemRow, foundItemMembers, type itemUrlsOf } from './found-item.js'
import { type ItemParams, itemFilters } from './item-filters.js'

export type ItemSearchParams = ItemParams & {
  /** The organization of the sellers, when the caller only sees its own catalogues. */
  ownSeller: string | undefined
  /** The buyer whose annotations are shown. */
  shownTo: string | undefined
  after: string | undefined
  afterSortName: string | undefined
}

/** The position of an item in the list: what it was sorted by when it was read. */
export interface ItemPosition {
  id: string
  sortName: string
}

const orderBy = sql.raw('catalogue_items.sort_name, catalogue_items.id')

export const itemPositionOf = ({ id, sortName }: ItemPosition): ItemPosition => ({ id, sortName })

/** Finds the items of a page that match the filters, and one more. */
export const findItems = dynamicQuery<
  ItemSearchParams,
  PageLimits & ReturnType<typeof itemUrlsOf> & { today: string },
  FoundItemRow & ItemPosition & { found: number }
>(
  (active) => sql`
    select catalogue_items.id, ${foundItemMembers()} as members, service_type as "serviceType", annotations,
      (select seller_id from catalogues c where c.id = catalogue_items.catalogue_id) as "sellerId",
      sort_name as "sortName", found
    from ${pageRows({
      table: 'catalogue_items',
      joinedColumns: sql`${annotationsOf(active.shownTo)} as annotations`,
      size: sql`${storedBytes('catalogue_items')} + coalesce(octet_length(annotations::text), 0)`,
      from: sql`from ${itemsOf(active)} ${cataloguesOf(active)}`,
      where: and(
        active.ownSeller && catalogueSoldBy(active.ownSeller),
        active.buyer && orderableTo(active.buyer),
        active.patient && notBlackListed(active.patient),
        itemFilters.where(active),
        active.after && sql`(${orderBy}) > (${active.afterSortName}::text, ${active.after}::uuid)`
      ),
      orderBy
    })}
    order by ${orderBy}`
)

type Active = ActiveFilters<ItemSearchParams>

/** SQL for the annotations of an item by a buyer, as arrays of texts. */
const annotationsOf = (buyer: Placeholder | undefined): SQL =>
  buyer
    ? sql`(select json_agg(array[a.id::text, a.name, a.system, a.code, a.display] order by a.id)
        from annotations a where a.item_id = catalogue_items.id and a.buyer_id = ${buyer})`
    : sql`null::json`

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
function cataloguesOf(active: Active): SQL {
  if (active.buyer)
    return sql`cross join lateral (
      select * from catalogues where id = catalogue_items.catalogue_id offset 0) catalogues`
  if (!active.ownSeller && !active.seller) return sql``
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
  not exists (select from black_list_entries b where b.patient = ${currentPatient(patient)} and b.item_id = catalogue_items.id)`

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
