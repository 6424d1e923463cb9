import type { Parties } from './agreements.js'
import { catalogues, devices, type ItemKey, relatedTo, services } from './catalogue-data.js'
import type { Caller } from './client.js'
import { parties, people, type SellerKey } from './data.js'
import { heading } from './print.js'
import { catalogueApi, obtain, type Stage } from './stage.js'

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
    const body = {
      id: null,
      identifiers: [identifier(seller, number)],
      seller: sellers[seller],
      name,
      status: 'ACTIVE'
    }
    const create = { path: `${catalogueApi}/catalogue`, body }
    const catalogue = await obtain(stage, provider, `catalogue ${key}`, `${name} (ACTIVE)`, create)
    await fill(stage, provider, key, catalogue, items)
  }
  return items as Items
}

async function fill(
  stage: Stage,
  provider: Caller,
  key: SellerKey,
  catalogue: string,
  items: Partial<Items>
): Promise<void> {
  const path = `${catalogueApi}/catalogue-item`
  for (const row of devices.filter((each) => each.catalogue === key)) {
    const { key: name, number, ...content } = row
    const body = {
      ...content,
      ...{ catalogueItemType: 'DeviceModel', catalogue, identifiers: [identifier(key, number)] }
    }
    items[name] = await obtain(stage, provider, `item ${name}`, row.name, { path, body })
  }
  for (const row of services.filter((each) => each.catalogue === key)) {
    const { key: name, number, ...content } = row
    const device = relatedTo(name)
    const body = {
      ...content,
      ...{ catalogueItemType: 'Service', catalogue, identifiers: [identifier(key, number)] },
      relatedTo: device === undefined ? null : items[device]
    }
    items[name] = await obtain(stage, provider, `item ${name}`, row.name, { path, body })
  }
}

const identifier = (seller: SellerKey, value: string) => ({
  system: `https://${seller}.example/varenummer`,
  value,
  assigner: parties[seller].name
})
