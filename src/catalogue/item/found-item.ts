import { type SQL, sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import type { Call } from '../../platform/auth/call.js'
import type { TextFields } from '../../platform/schemas/fields.js'
import type { Ports } from '../../ports.js'
import { catalogueResource, itemResource } from '../resources.js'
import { catalogueItems } from '../tables.js'
import { itemFields } from './item.fields.js'

/*
 * The JSON of an item that a search found: that of `toItem`, the seller and, for a buyer, the
 * buyer's annotations. PostgreSQL writes the members that are the same in all languages. With 32
 * connections a search of 50 items takes 843 µs of Node instead of 1,046 µs.
 */

export interface FoundItemRow {
  id: string
  /** The JSON object of the members that PostgreSQL writes. */
  members: string
  serviceType: string | null
  sellerId: string
  /** The id, name, system, code and display of each annotation by a buyer. */
  annotations: [string, string, string, string, string | null][] | null
}

/** The beginnings of the URLs in {@link foundItemMembers}. */
export const itemUrlsOf = ({ resourceUrls }: Pick<Ports, 'resourceUrls'>) => ({
  catalogueUrl: resourceUrls.url(catalogueResource, ''),
  itemUrl: resourceUrls.url(itemResource, '')
})

const { id, type, identifiers, catalogueId, name, status, manufacturer, model, relatedToId } = catalogueItems

/** SQL expression: `members` of {@link FoundItemRow}. Its placeholders are {@link itemUrlsOf}. */
export function foundItemMembers(): SQL {
  const common = {
    ...{ id, catalogueItemType: type, identifiers },
    catalogue: sql`${sql.placeholder('catalogueUrl')}::text || ${catalogueId}`,
    name,
    ...columnsOf(itemFields.common),
    status
  }
  const device = { ...common, manufacturer, model, ...columnsOf(itemFields.DeviceModel) }
  const relatedTo = sql`${sql.placeholder('itemUrl')}::text || ${relatedToId}`
  const service = { ...common, relatedTo, ...columnsOf(itemFields.Service) }
  return sql`(case ${type} when 'DeviceModel' then ${jsonObject(device)} else ${jsonObject(service)} end)::text`
}

const columnsOf = (fields: TextFields) =>
  Object.fromEntries(
    Object.entries(fields).map(([member, { column }]) => [
      member,
      catalogueItems[column as keyof typeof catalogueItems]
    ])
  )

/** Unlike `json_build_object`, `row_to_json` writes no spaces. */
const jsonObject = (members: Readonly<Record<string, unknown>>): SQL =>
  sql`(select row_to_json(r) from (select ${sql.join(
    Object.entries(members).map(([member, value]) => sql`${value} as ${sql.identifier(member)}`),
    sql`, `
  )}) r)`

/** The JSON of an item, with annotations if the buyer is given. */
export function foundItemJson(
  { resourceUrls, terminology }: Pick<Ports, 'resourceUrls' | 'terminology'>,
  { language }: Pick<Call, 'language'>,
  { id, members, serviceType, sellerId, annotations }: FoundItemRow,
  buyerId?: string
): string {
  const json = JSON.stringify
  let item = members.slice(0, -'}'.length)
  if (serviceType !== null)
    item += `,"serviceType":${json(terminology.coding('service-type', serviceType, language))}`
  item += `,"seller":${json(resourceUrls.url(partyResource, sellerId))}`
  if (buyerId === undefined) return `${item}}`
  const references = `"catalogueItem":${json(resourceUrls.url(itemResource, id))},"buyer":${json(resourceUrls.url(partyResource, buyerId))}`
  const list = (annotations ?? []).map(([id, name, system, code, display]) => {
    const value = { system: terminology.publicSystem(system), code, display }
    return `{"id":"${id}",${references},"name":${json(name)},"value":${json(terminology.translate(value, language))}}`
  })
  return `${item},"annotations":[${list.join(',')}]}`
}
