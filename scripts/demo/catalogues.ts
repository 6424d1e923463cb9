import type { CatalogueItemInput } from '../../clients/typescript/src/index.js'
import type { Parties } from './agreements.js'
import { catalogues, devices, type ItemKey, relatedTo, services } from './catalogue-data.js'
import { parties, people, type SellerKey } from './data.js'
import { exampleIds } from './example-ids.js'
import { heading } from './print.js'
import { catalogueApi, findOrCreate, hasIdentifier, type Stage } from './stage.js'

/** URLs of the catalogue items by their keys. */
export type Items = Record<ItemKey, string>

/** Each provider publishes a catalogue: first device models, then the services related to them. */
export async function publishCatalogues(stage: Stage, sellers: Parties): Promise<Items> {
  const items: Partial<Items> = {}
  for (const { key, seller, name, number } of catalogues) {
    const { catalogue: api } = stage.as('Provider', seller)
    heading(
      `Catalogue of ${parties[seller].name}`,
      `${people[seller].Provider}, who works there, publishes it`
    )
    const own = identifier(seller, number)
    const catalogue = await findOrCreate(stage, `${name} (ACTIVE)`, {
      ...{ api: catalogueApi, noun: 'catalogue' },
      list: api.listCatalogue({ seller: sellers[seller] }),
      matches: hasIdentifier(own),
      exampleId: exampleIds[number],
      create: () =>
        api.createCatalogue({ identifiers: [own], seller: sellers[seller], name, status: 'ACTIVE' })
    })
    await addItems(stage, key, catalogue, items)
  }
  return items as Items
}

async function addItems(
  stage: Stage,
  seller: SellerKey,
  catalogue: string,
  items: Partial<Items>
): Promise<void> {
  const { catalogue: api } = stage.as('Provider', seller)
  const add = (
    key: ItemKey,
    name: string,
    number: string,
    content: Omit<CatalogueItemInput, 'name' | 'catalogue'>
  ) => {
    const own = identifier(seller, number)
    return findOrCreate(stage, name, {
      ...{ api: catalogueApi, noun: 'catalogue-item' },
      list: api.listCatalogueItem({ catalogue }),
      matches: hasIdentifier(own),
      exampleId: exampleIds[number],
      create: () => api.createCatalogueItem({ ...content, name, catalogue, identifiers: [own] })
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
