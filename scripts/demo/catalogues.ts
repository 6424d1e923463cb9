import type { Catalogue } from '../../src/catalogue/catalogue/catalogue.schemas.js'
import type { CatalogueItem } from '../../src/catalogue/item/item.schemas.js'
import type { Parties } from './agreements.js'
import { catalogues, devices, type ItemKey, relatedTo, services } from './catalogue-data.js'
import type { Caller } from './client.js'
import { parties, people, type SellerKey } from './data.js'
import { heading } from './print.js'
import { catalogueApi, isIdentified, obtain, type Stage } from './stage.js'

/** Addresses of the catalogue items by their names in the story. */
export type Items = Record<ItemKey, string>

/** Each provider publishes a catalogue: device models first, then the services that relate to them. */
export async function publish(stage: Stage, sellers: Parties): Promise<Items> {
  const items: Partial<Items> = {}
  for (const { key, seller, name, number } of catalogues) {
    const provider = stage.as('Provider', seller)
    heading(
      `Catalogue of ${parties[seller].name}`,
      `${people[seller].Provider}, who works there, publishes it`
    )
    const own = identifier(seller, number)
    const catalogue = await obtain<Catalogue>(stage, provider, `${name} (ACTIVE)`, {
      ...{ api: catalogueApi, noun: 'catalogue' },
      list: `catalogues?seller=${encodeURIComponent(sellers[seller])}`,
      is: isIdentified(own),
      body: { id: null, identifiers: [own], seller: sellers[seller], name, status: 'ACTIVE' }
    })
    await fill(stage, provider, key, catalogue, items)
  }
  return items as Items
}

async function fill(
  stage: Stage,
  provider: Caller,
  seller: SellerKey,
  catalogue: string,
  items: Partial<Items>
): Promise<void> {
  const add = (key: ItemKey, name: string, number: string, content: object) => {
    const own = identifier(seller, number)
    return obtain<CatalogueItem>(stage, provider, name, {
      ...{ api: catalogueApi, noun: 'catalogue-item' },
      list: `catalogue-items?catalogue=${encodeURIComponent(catalogue)}`,
      is: isIdentified(own),
      body: { ...content, name, catalogue, identifiers: [own] }
    }).then((address) => {
      items[key] = address
    })
  }
  for (const { key, catalogue, number, name, ...content } of devices)
    if (catalogue === seller) await add(key, name, number, { ...content, catalogueItemType: 'DeviceModel' })
  for (const { key, catalogue, number, name, serviceType } of services) {
    const device = relatedTo(key)
    const content = { serviceType, relatedTo: device === undefined ? null : items[device] }
    if (catalogue === seller) await add(key, name, number, { ...content, catalogueItemType: 'Service' })
  }
}

const identifier = (seller: SellerKey, value: string) => ({
  system: `https://${seller}.example/varenummer`,
  value,
  assigner: parties[seller].name
})
