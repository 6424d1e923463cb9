import type { Parties } from './agreements.js'
import { annotations, blackList, devices, type ItemKey, nameOf, services } from './catalogue-data.js'
import type { Items } from './catalogues.js'
import { isCreated } from './client.js'
import { type BuyerKey, buyers, contracts, parties, people, receivers } from './data.js'
import { heading, printEvent } from './print.js'
import type { Stage } from './stage.js'

/** Each buyer's clerk adds its sellers' items to the white list and annotates the device models. */
export async function fillWhiteLists(stage: Stage, partyUrls: Parties, items: Items): Promise<void> {
  heading(
    'White lists and annotations',
    'Each buyer’s clerk chooses the items that can be ordered, and annotates them'
  )
  for (const buyer of buyers) {
    const { catalogue } = stage.as('AdministrativeClerk', buyer)
    const keys = itemsFor(buyer)
    const entries = keys.map((key) => ({ buyer: partyUrls[buyer], item: items[key] }))
    const notes = devices
      .filter(({ key }) => keys.includes(key))
      .flatMap(({ key }) => annotations[key].map((each) => ({ catalogueItem: items[key], ...each })))
      .map((each) => ({ buyer: partyUrls[buyer], ...each }))
    const listed = await addAll(entries, (entry) => catalogue.createWhiteList(entry))
    const annotated = await addAll(notes, (note) => catalogue.createAnnotation(note))
    const who = `${people[buyer].AdministrativeClerk} (${parties[buyer].name})`
    printEvent(statusWord(listed), `${who}: ${entries.length} items on the white list`)
    printEvent(statusWord(annotated), `${who}: ${notes.length} annotations`)
  }
}

/** A nurse makes an item non-orderable for one patient. */
export async function addBlackListEntry(stage: Stage, items: Items): Promise<void> {
  const { catalogue } = stage.as('MonitoringResponsible', 'region')
  const { patient, item } = blackList
  heading(
    'Black list',
    `${people.region.MonitoringResponsible}, nurse of ${parties.region.name}, excludes an item for a patient`
  )
  const body = { patient: receivers[patient].patient, item: items[item] }
  const added = await isCreated(catalogue.createBlackList(body))
  printEvent(statusWord(Number(added)), `Not for ${receivers[patient].name}: ${nameOf(item)}`)
}

function itemsFor(buyer: BuyerKey): ItemKey[] {
  const sellers = contracts.filter((each) => each.buyer.includes(buyer)).map(({ seller }) => seller)
  return [...devices, ...services].filter((each) => sellers.includes(each.catalogue)).map(({ key }) => key)
}

const statusWord = (added: number) => (added > 0 ? 'new' : 'found')

/** Adds unique entries. Returns how many did not exist. */
async function addAll<T>(entries: readonly T[], create: (entry: T) => Promise<unknown>): Promise<number> {
  let added = 0
  for (const entry of entries) added += Number(await isCreated(create(entry)))
  return added
}
