import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { sellersInForce } from '../../agreement/lookup.js'
import { jsonSize, jsonText, openJsonText, storedJsonSize } from '../../db/json/serializer.js'
import { likeAll } from '../../db/sql/conditions.js'
import { type ActiveFilters, dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageValues, pageStatement } from '../../db/sql/page.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { PageRequest } from '../../platform/rest/pagination.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { catalogueSerializers } from '../serializers.js'
import { catalogueItems } from '../tables.js'
import { isUnlimited, ofOrganization } from '../visibility.js'
import type { AnnotationFilter } from './annotation-filter.js'

/** The filters of a search as the statement has them: ids, stored codes, words as patterns. */
export type Sought = AnnotationFilterValues & {
  buyer: string | undefined
  /** The buyer whose annotations are shown. */
  shownTo: string | undefined
  catalogue: string | undefined
  patient: string | undefined
  type: string | undefined
  serviceType: string | undefined
  status: string | undefined
  words: string[] | undefined
  after: string | undefined
}

/** What each annotation filter asks for, by its number. */
export type AnnotationFilterValues = { [value in `${keyof AnnotationFilter}${number}`]?: string | undefined }

type FoundItem = [id: Buffer, json: Buffer | null]

const searches = memoizePerApp((ports: Ports) => {
  const { item, annotation } = catalogueSerializers(ports)
  const plain = { json: jsonText(item, 'catalogue_items'), size: storedJsonSize(item, 'catalogue_items') }
  const annotationsOf = (buyer: Placeholder, value: SQL) => sql`(
    select ${value} from annotations a where a.item_id = catalogue_items.id and a.buyer_id = ${buyer})`
  const [text, size] = [jsonText(annotation, 'a'), jsonSize(annotation, 'a')]
  const annotated = (buyer: Placeholder) => ({
    json: sql`concat(${openJsonText(item, 'catalogue_items')}, ',"annotations":[',
      ${annotationsOf(buyer, sql`string_agg(${text}, ',' order by a.id)`)}, ']}')`,
    size: sql`${plain.size} + ${',"annotations":[]'.length}::int
      + coalesce(${annotationsOf(buyer, sql`sum(1 + ${size})`)}, 0)`
  })
  const within = (reach: SQL | undefined) =>
    dynamicQuery<Sought, PageValues & { organization: string; today: string }, FoundItem>((given) => {
      const conditions = [
        reach,
        given.buyer && orderableTo(given.buyer),
        given.catalogue && eq(catalogueItems.catalogueId, given.catalogue),
        given.patient && notBlackListed(given.patient),
        given.type && eq(catalogueItems.type, given.type),
        given.serviceType && eq(catalogueItems.serviceType, given.serviceType),
        given.status && eq(catalogueItems.status, given.status),
        given.words && likeAll(catalogueItems.searchText, given.words),
        given.after && followsItem(given.after)
      ]
      return pageStatement({
        table: 'catalogue_items',
        columns: sql`catalogue_items.id`,
        ...(given.shownTo ? annotated(given.shownTo) : plain),
        from: sql`from catalogue_items join catalogues on catalogues.id = catalogue_items.catalogue_id ${annotatedWith(given)}`,
        where: and(...conditions),
        orderBy: sql`catalogue_items.name, catalogue_items.id`
      })
    })
  return { any: within(undefined), own: within(ofOrganization(ports.db, sql.placeholder('organization'))) }
})

/** Finds the items of a page within the caller's reach, and one more: their ids, and what is shown of each as JSON. */
export const runItemSearch = (
  ports: Ports,
  actor: Actor,
  sought: Sought,
  { limit, bytes }: Omit<PageRequest<string>, 'after'>
) =>
  searches(ports)[isUnlimited(actor) ? 'any' : 'own'](ports.db, sought, {
    organization: actor.organization ?? '',
    today: ports.today(),
    rows: limit + 1,
    bytes
  })

/** Items are answered by name, then id; a cursor holds the id alone, since names can be long. */
const followsItem = (id: Placeholder) =>
  sql`(${catalogueItems.name}, ${catalogueItems.id}) > ((select name from catalogue_items where id = ${id}), ${id}::uuid)`

/** On the buyer's white list, available, and in an active catalogue of a seller with a contract in force today. */
const orderableTo = (buyer: Placeholder): SQL => sql`
  catalogues.status = 'ACTIVE' and catalogue_items.status = 'AVAILABLE'
  and catalogues.seller_id = any(array(${sellersInForce(buyer, sql.placeholder('today'))}))
  and exists (select from white_list_entries w where w.buyer_id = ${buyer} and w.item_id = catalogue_items.id)`

const notBlackListed = (patient: Placeholder): SQL => sql`
  not exists (select from black_list_entries b where b.patient = ${patient} and b.item_id = catalogue_items.id)`

/**
 * Joins the items that have every one of these values. They are found first and by themselves (`offset 0`): of anything else
 * PostgreSQL believes that it is a single item, and then looks through all the others once for each.
 */
function annotatedWith(given: ActiveFilters<Sought>): SQL {
  const having: SQL[] = []
  for (let at = 0; given[`code${at}`]; at++) {
    const name = given[`name${at}`]
    having.push(sql`
      select item_id from annotations where system = ${given[`system${at}`]} and code = ${given[`code${at}`]}
      ${given.buyer ? sql`and buyer_id = ${given.buyer}` : sql``} ${name ? sql`and name = ${name}` : sql``}`)
  }
  if (having.length === 0) return sql``
  return sql`join (select distinct item_id from (${sql.join(having, sql` intersect `)}) each offset 0) annotated
    on annotated.item_id = catalogue_items.id`
}
