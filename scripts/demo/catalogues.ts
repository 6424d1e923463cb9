import type { Catalogue } from '../../src/catalogue/catalogue/catalogue.schemas.js'
import type { CatalogueItem } from '../../src/catalogue/item/item.schemas.js'
import type { Parties } from './agreements.js'
import { catalogues, devices, type ItemKey, relatedTo, services } from './catalogue-data.js'
import type { Caller } from './client.js'
import { parties, people, type SellerKey } from './data.js'
import { heading } from './print.js'
import { catalogueApi, findOrCreate, hasIdentifier, type Stage } from './stage.js'

/** URLs of the catalogue items by their keys. */
export type Items = Record<ItemKey, string>

/** Each provider publishes a catalogue: first device models, then the services related to them. */
export async function publishCatalogues(stage: Stage, sellers: Parties): Promise<Items> {
  const items: Partial<Items> = {}
  for (const { key, seller, name, number } of catalogues) {
    const provider = stage.as('Provider', seller)
    heading(
      `Catalogue of ${parties[seller].name}`,
      `${people[seller].Provider}, who works there, publishes it`
    )
    const own = identifier(seller, number)
    const catalogue = await findOrCreate<Catalogue>(stage, provider, `${name} (ACTIVE)`, {
      ...{ api: catalogueApi, noun: 'catalogue' },
      list: `catalogues?seller=${encodeURIComponent(sellers[seller])}`,
      matches: hasIdentifier(own),
      body: { id: null, identifiers: [own], seller: sellers[seller], name, status: 'ACTIVE' }
    })
    await addItems(stage, provider, key, catalogue, items)
  }
  return items as Items
}

async function addItems(
  stage: Stage,
  provider: Caller,
  seller: SellerKey,
  catalogue: string,
  items: Partial<Items>
): Promise<void> {
  const add = (key: ItemKey, name: string, number: string, content: object) => {
    const own = identifier(seller, number)
    return findOrCreate<CatalogueItem>(stage, provider, name, {
      ...{ api: catalogueApi, noun: 'catalogue-item' },
      list: `catalogue-items?catalogue=${encodeURIComponent(catalogue)}`,
      matches: hasIdentifier(own),
      body: { ...content, name, catalogue, identifiers: [own] }
    }).then((url) => {
      items[key] = url
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
