import { and, asc, eq, exists, getTableColumns, inArray, notExists, type SQL, sql } from 'drizzle-orm'
import { partyKind } from '../agreement/kinds.js'
import { sellersInForce } from '../agreement/lookup.js'
import { isClinicalReference } from '../clinical/reference.js'
import { matches } from '../db/matches.js'
import { admit, isAdmitted } from '../platform/access.js'
import type { Actor } from '../platform/actor.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { problem } from '../platform/problem.js'
import { filterIds } from '../platform/reference.js'
import type { Ports } from '../ports.js'
import { queriedCode } from '../terminology/known-code.js'
import { annotationAccess } from './annotation.access.js'
import { annotationsOf } from './annotation.view.js'
import { type AnnotationFilter, annotationFilter } from './annotation-filter.js'
import type { CatalogueItem } from './item.schemas.js'
import { itemOf } from './item.view.js'
import { catalogueKind } from './kinds.js'
import { withinReach } from './own.js'
import { annotations, blackListEntries, catalogueItems, catalogues, whiteListEntries } from './tables.js'

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
): Promise<Page<CatalogueItem, string>> {
  const { db } = ports
  if (filters.patient !== undefined) actor.trail.touch(filters.patient)
  checkReader(actor, filters)
  const ids = filterIds(ports.references, filters, { buyer: partyKind, catalogue: catalogueKind })
  const members = memberConditions(ports, filters)
  const values = annotationValues(ports, filters.annotation ?? [])
  if (!ids) return { entries: [], next: undefined }
  const rows = await db
    .select(getTableColumns(catalogueItems))
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(
      and(
        withinReach(db, actor),
        ...(ids.buyer ? orderableTo(ports, ids.buyer) : []),
        ids.catalogue ? eq(catalogueItems.catalogueId, ids.catalogue) : undefined,
        filters.patient ? notBlackListed(ports, filters.patient) : undefined,
        ...values.map((value) => annotatedWith(ports, value, ids.buyer)),
        ...members,
        after ? followsItem(after) : undefined
      )
    )
    .orderBy(asc(catalogueItems.name), asc(catalogueItems.id))
    .limit(limit + 1)
  const page = pageOf(rows, limit, (row) => row.id)
  const shown = page.entries.map((row) => row.id)
  const annotated =
    ids.buyer && isAdmitted(actor, annotationAccess.read)
      ? await annotationsOf(ports, ids.buyer, shown)
      : undefined
  return { entries: page.entries.map((row) => itemOf(ports, row, annotated?.get(row.id))), next: page.next }
}

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
function orderableTo({ db, today }: Ports, buyerId: string): SQL[] {
  return [
    eq(catalogues.status, 'ACTIVE'),
    eq(catalogueItems.status, 'AVAILABLE'),
    inArray(catalogues.sellerId, sellersInForce(db, buyerId, today())),
    exists(
      db
        .select({ id: whiteListEntries.id })
        .from(whiteListEntries)
        .where(and(eq(whiteListEntries.buyerId, buyerId), eq(whiteListEntries.itemId, catalogueItems.id)))
    )
  ]
}

const notBlackListed = ({ db }: Ports, patient: string): SQL =>
  notExists(
    db
      .select({ id: blackListEntries.id })
      .from(blackListEntries)
      .where(and(eq(blackListEntries.patient, patient), eq(blackListEntries.itemId, catalogueItems.id)))
  )

const annotatedWith = (
  { db }: Ports,
  { name, system, code }: AnnotationFilter,
  buyerId: string | undefined
): SQL =>
  exists(
    db
      .select({ id: annotations.id })
      .from(annotations)
      .where(
        and(
          eq(annotations.itemId, catalogueItems.id),
          buyerId ? eq(annotations.buyerId, buyerId) : undefined,
          name ? eq(annotations.name, name) : undefined,
          eq(annotations.system, system),
          eq(annotations.code, code)
        )
      )
  )

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
