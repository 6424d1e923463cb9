import type { Parties } from './agreements.js'
import { annotations, blackList, devices, type ItemKey, services } from './catalogue-data.js'
import type { Items } from './catalogues.js'
import type { Caller } from './client.js'
import { type BuyerKey, buyers, contracts, parties, people, receivers } from './data.js'
import { heading, tell } from './print.js'
import { catalogueApi, type Stage } from './stage.js'

/** Each buyer's clerk chooses what can be ordered of the sellers it has contracts with, and annotates the device models. */
export async function choose(stage: Stage, addresses: Parties, items: Items): Promise<void> {
  heading('White lists and annotations', 'Each buyer’s clerk says what can be ordered, and what it is')
  for (const buyer of buyers) {
    const clerk = stage.as('AdministrativeClerk', buyer)
    const keys = offered(buyer)
    const entries = keys.map((key) => ({ buyer: addresses[buyer], item: items[key] }))
    const notes = devices
      .filter(({ key }) => keys.includes(key))
      .flatMap(({ key }) => annotations[key].map((each) => ({ catalogueItem: items[key], ...each })))
      .map((each) => ({ buyer: addresses[buyer], ...each }))
    const listed = await addAll(clerk, `${catalogueApi}/white-list`, entries)
    const annotated = await addAll(clerk, `${catalogueApi}/annotation`, notes)
    const who = `${people[buyer].AdministrativeClerk} (${parties[buyer].name})`
    tell(mark(listed), `${who}: ${entries.length} items on the white list`)
    tell(mark(annotated), `${who}: ${notes.length} annotations`)
  }
}

/** A nurse makes an item non-orderable for one patient. */
export async function forbid(stage: Stage, items: Items): Promise<void> {
  const nurse = stage.as('MonitoringResponsible', 'region')
  const { patient, item } = blackList
  heading(
    'Black list',
    `${people.region.MonitoringResponsible}, nurse of ${parties.region.name}, knows the patient`
  )
  const body = { patient: receivers[patient].patient, item: items[item] }
  const added = await nurse.add(`${catalogueApi}/black-list`, body)
  tell(mark(Number(added)), `Not for ${receivers[patient].name}: ${nameOf(item)}`)
}

/** The name of a catalogue item. */
export function nameOf(item: ItemKey): string {
  return [...devices, ...services].find(({ key }) => key === item)?.name ?? item
}

function offered(buyer: BuyerKey): ItemKey[] {
  const sellers = contracts.filter((each) => each.buyer.includes(buyer)).map(({ seller }) => seller)
  return [...devices, ...services].filter((each) => sellers.includes(each.catalogue)).map(({ key }) => key)
}

const mark = (added: number) => (added > 0 ? 'new' : 'found')

/** Adds entries that there can be only one of each; answers how many were not there. */
async function addAll(caller: Caller, path: string, entries: readonly object[]): Promise<number> {
  let added = 0
  for (const entry of entries) added += Number(await caller.add(path, entry))
  return added
}
