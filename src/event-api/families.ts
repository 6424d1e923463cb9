import { type SQL, sql } from 'drizzle-orm'
import { contractRead, partyRead } from '../agreement/agreement.access.js'
import { contractResource, partyResource } from '../agreement/resources.js'
import { ofOrganization, sideOf } from '../agreement/side.js'
import { contractVisibleTo } from '../agreement/visibility.js'
import { annotationAccess, catalogueRead, itemRead, whiteListAccess } from '../catalogue/catalogue.access.js'
import {
  annotationResource,
  catalogueResource,
  itemResource,
  whiteListResource
} from '../catalogue/resources.js'
import { catalogueVisibleTo } from '../catalogue/visibility.js'
import { type EventApi, eventTypes } from '../ledger/event-types.js'
import { orderLineResource, orderResource } from '../order/model/resources.js'
import { orderRead } from '../order/routes/order.access.js'
import { orders } from '../order/store/tables.js'
import { visibleTo } from '../order/store/visibility.js'
import type { AccessRule } from '../platform/auth/access-rule.js'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized, scopeOf } from '../platform/auth/scope.js'
import type { ResourceType } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'

/** Events of one type of resource: their subject, and who may see them. */
export interface EventFamily {
  /** Name of the resource in events. */
  kind: string
  subject: ResourceType
  /** The owner of the subject, as a member of the data. */
  owner?: { member: 'order' | 'catalogue' | 'buyer'; resource: ResourceType }
  /** The access rule for reading the owner, and so its events. */
  access: AccessRule
  /**
   * SQL condition on a row `e` of the ledger, for a call with the scope of the access rule.
   */
  visibleTo: (call: Call, ports: Ports) => SQL
}

const always = () => sql`true`

/** A sub-select of one row: PostgreSQL may turn `exists` into a scan of the whole table. */
const found = (from: SQL, isVisible: SQL | undefined) =>
  isVisible ? sql`coalesce((select true ${from} and ${isVisible} limit 1), false)` : always()

const orderVisible = (call: Call): SQL => {
  const visible = found(sql`from orders where orders.id = e.owner_id`, visibleTo(orders, call))
  if (sideOf(call) === 'seller') return sql`(not e.is_of_draft and ${visible})`
  return sql`case e.type when 'order.removed' then ${removedBy(call)} else ${visible} end`
}

/** A deleted draft is hidden, but its buyer may know that it was deleted. */
const removedBy = ({ caller }: Call): SQL =>
  found(
    sql`from orders where orders.id = e.owner_id`,
    ofOrganization(orders, 'buyer', caller.organization ?? '')
  )

const contractVisible = (call: Call, ports: Ports): SQL =>
  found(sql`from contracts where contracts.id = e.owner_id`, contractVisibleTo(ports, call))

const catalogueVisible = (call: Call, ports: Ports): SQL =>
  found(sql`from catalogues where catalogues.id = e.owner_id`, catalogueVisibleTo(ports, call))

const buyer = { member: 'buyer', resource: partyResource } as const

/** The families of events, by the first part of their types. */
export const eventFamilies: Readonly<Record<string, EventFamily>> = {
  order: { kind: 'Order', subject: orderResource, access: orderRead, visibleTo: orderVisible },
  'order-line': {
    kind: 'OrderLine',
    subject: orderLineResource,
    owner: { member: 'order', resource: orderResource },
    access: orderRead,
    visibleTo: orderVisible
  },
  party: { kind: 'Party', subject: partyResource, access: partyRead, visibleTo: always },
  contract: { kind: 'Contract', subject: contractResource, access: contractRead, visibleTo: contractVisible },
  catalogue: {
    kind: 'Catalogue',
    subject: catalogueResource,
    access: catalogueRead,
    visibleTo: catalogueVisible
  },
  'catalogue-item': {
    kind: 'CatalogueItem',
    subject: itemResource,
    owner: { member: 'catalogue', resource: catalogueResource },
    access: itemRead,
    visibleTo: catalogueVisible
  },
  annotation: {
    kind: 'Annotation',
    subject: annotationResource,
    owner: buyer,
    access: annotationAccess.read,
    visibleTo: always
  },
  'white-list': {
    kind: 'WhiteList',
    subject: whiteListResource,
    owner: buyer,
    access: whiteListAccess.read,
    visibleTo: always
  }
}

const familyOf = (type: string): string => type.slice(0, type.indexOf('.'))

export function findEventFamily(type: string): EventFamily {
  const family = eventFamilies[familyOf(type)]
  if (!family) throw new Error(`No family has the type ${type}`)
  return family
}

/** The rule of a feed, which admits callers who may read at least one of its types of resources. */
export function feedAccess(api: EventApi): AccessRule {
  const rules = [...new Set(eventTypes[api].map(familyOf))].flatMap(
    (name) => eventFamilies[name]?.access ?? []
  )
  const [permission, ...alternatives] = [...new Set(rules.map((rule) => rule.permission))]
  if (permission === undefined) throw new Error(`No event belongs to ${api}`)
  const scopes = { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'any' } as const
  return { permission, alternatives, scopes }
}

export const accessRuleOfType = (type: string): AccessRule | undefined =>
  eventFamilies[familyOf(type)]?.access

/** SQL condition: the caller may see the event `e`, which has one of these types. */
export function eventVisibleTo(ports: Ports, call: Call, types: readonly string[]): SQL {
  const conditions = [...new Set(types.map(familyOf))].flatMap((name) => {
    const family = eventFamilies[name]
    if (!family || !isAuthorized(call.caller, family.access)) return []
    const own = types.filter((type) => familyOf(type) === name)
    const visible = family.visibleTo({ ...call, scope: scopeOf(call.caller, family.access) }, ports)
    return [sql`(e.type = any(${sql.param(own)}::text[]) and ${visible})`]
  })
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`
}
