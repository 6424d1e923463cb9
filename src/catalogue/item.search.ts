import { and, eq, type SQL, sql } from 'drizzle-orm'
import { partyKind } from '../agreement/kinds.js'
import { sellersInForce } from '../agreement/lookup.js'
import { isClinicalReference } from '../clinical/reference.js'
import { openTextOf, textOf } from '../db/form.js'
import { matches } from '../db/matches.js'
import { rawRows } from '../db/statement.js'
import { admit, isAdmitted } from '../platform/access.js'
import type { Actor } from '../platform/actor.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { perServer } from '../platform/per-server.js'
import { problem } from '../platform/problem.js'
import { filterIds } from '../platform/reference.js'
import { Written } from '../platform/written.js'
import type { Ports } from '../ports.js'
import { queriedCode } from '../terminology/known-code.js'
import { annotationAccess } from './annotation.access.js'
import { type AnnotationFilter, annotationFilter } from './annotation-filter.js'
import { catalogueForms } from './forms.js'
import { catalogueKind } from './kinds.js'
import { withinReach } from './own.js'
import { catalogueItems } from './tables.js'

export interface ItemFilters {
  buyer?: string
  patient?: string
  annotation?: string[]
  catalogue?: string
  catalogueItemType?: 'DeviceModel' | 'Service'
  serviceType?: string
  status?: string
  q?: string
}

/**
 * Searches items. With a buyer: what that buyer can order today, with the buyer's annotations for those who may read them. With
 * a patient (for MonitoringResponsible alone): without what is on the patient's black list. Every annotation filter must hold.
 * @throws Problem `forbidden`, `invalid-query`.
 */
export async function searchItems(
  ports: Ports,
  actor: Actor,
  filters: ItemFilters,
  { limit, after }: PageRequest<string>
): Promise<Page<Written, string>> {
  if (filters.patient !== undefined) actor.trail.touch(filters.patient)
  checkReader(actor, filters)
  const ids = filterIds(ports.references, filters, { buyer: partyKind, catalogue: catalogueKind })
  const members = memberConditions(ports, filters)
  const values = annotationValues(ports, filters.annotation ?? [])
  if (!ids) return { entries: [], next: undefined }
  const conditions = [
    withinReach(ports.db, actor),
    ids.buyer ? orderableTo(ports, ids.buyer) : undefined,
    ids.catalogue ? eq(catalogueItems.catalogueId, ids.catalogue) : undefined,
    filters.patient ? notBlackListed(filters.patient) : undefined,
    ...members,
    after ? followsItem(after) : undefined
  ]
  const text = texts(ports)
  const shownTo = ids.buyer && isAdmitted(actor, annotationAccess.read) ? ids.buyer : undefined
  const rows = await rawRows<FoundItem>(
    ports.db,
    sql`select catalogue_items.id, ${shownTo ? text.annotatedFor(shownTo) : text.item}
    from catalogue_items join catalogues on catalogues.id = catalogue_items.catalogue_id ${annotatedWith(values, ids.buyer)}
    where ${and(sql`true`, ...conditions)}
    order by catalogue_items.name, catalogue_items.id
    limit ${limit + 1}`
  )
  const { entries, next } = pageOf(rows, limit, ([id]) => String(id))
  return { entries: entries.map(([, json]) => new Written(json)), next }
}

type FoundItem = [id: Buffer, json: Buffer]

/** Items as JSON: by themselves, or with a buyer's annotations, in order of creation. */
const texts = perServer((ports: Ports) => {
  const { item, annotation } = catalogueForms(ports)
  const [openItem, annotationText] = [openTextOf(item, 'catalogue_items'), textOf(annotation, 'a')]
  return {
    item: textOf(item, 'catalogue_items'),
    annotatedFor: (buyerId: string) => sql`concat(${openItem}, ',"annotations":[', (
      select string_agg(${annotationText}, ',' order by a.id)
      from annotations a where a.item_id = catalogue_items.id and a.buyer_id = ${buyerId}), ']}')`
  }
})

function checkReader(actor: Actor, { buyer, patient, annotation }: ItemFilters): void {
  if (annotation !== undefined) admit(actor, annotationAccess.read)
  if (buyer !== undefined && actor.userType === 'Provider')
    throw problem('forbidden', 'A provider may not name a buyer: the answer would show its white list.')
  if (patient === undefined) return
  if (actor.userType !== 'MonitoringResponsible')
    throw problem('forbidden', 'Only MonitoringResponsible may name a patient.')
  if (!isClinicalReference(patient, 'Patient'))
    throw problem('invalid-query', 'Query parameter patient must be the URL of a clinical Patient.')
}

/** Items are answered by name, then id; a cursor holds the id alone, since names can be long. */
const followsItem = (id: string) =>
  sql`(${catalogueItems.name}, ${catalogueItems.id}) > ((select name from catalogue_items where id = ${id}), ${id}::uuid)`

/** On the buyer's white list, available, and in an active catalogue of a seller with a contract in force today. */
const orderableTo = ({ today }: Ports, buyerId: string): SQL => sql`
  catalogues.status = 'ACTIVE' and catalogue_items.status = 'AVAILABLE'
  and catalogues.seller_id = any(array(${sellersInForce(buyerId, today())}))
  and exists (select from white_list_entries w where w.buyer_id = ${buyerId} and w.item_id = catalogue_items.id)`

const notBlackListed = (patient: string): SQL => sql`
  not exists (select from black_list_entries b where b.patient = ${patient} and b.item_id = catalogue_items.id)`

/**
 * Joins the items that have every one of these values. They are found first and by themselves (`offset 0`): of anything else
 * PostgreSQL believes that it is a single item, and then looks through all the others once for each.
 */
function annotatedWith(values: readonly AnnotationFilter[], buyerId: string | undefined): SQL {
  if (values.length === 0) return sql``
  const having = values.map(
    ({ name, system, code }) => sql`
      select item_id from annotations where system = ${system} and code = ${code}
      ${buyerId ? sql`and buyer_id = ${buyerId}` : sql``} ${name ? sql`and name = ${name}` : sql``}`
  )
  return sql`join (select distinct item_id from (${sql.join(having, sql` intersect `)}) each offset 0) annotated
    on annotated.item_id = catalogue_items.id`
}

/** The filters' values as annotations are kept. A search asks no terminology server. */
const annotationValues = ({ terminology }: Ports, texts: readonly string[]): AnnotationFilter[] =>
  texts.map(annotationFilter).map((filter) => ({
    ...filter,
    system: terminology.stored(filter.system),
    code: terminology.annotationCode(filter.name ?? '', filter)
  }))

function memberConditions({ terminology }: Ports, filters: ItemFilters): (SQL | undefined)[] {
  const serviceType = queriedCode(terminology, 'service-type', 'serviceType', filters.serviceType)
  const status = queriedCode(terminology, 'catalogue-item-status', 'status', filters.status)
  return [
    filters.catalogueItemType ? eq(catalogueItems.type, filters.catalogueItemType) : undefined,
    serviceType ? eq(catalogueItems.serviceType, serviceType) : undefined,
    status ? eq(catalogueItems.status, status) : undefined,
    matches(catalogueItems.searchText, filters.q)
  ]
}
