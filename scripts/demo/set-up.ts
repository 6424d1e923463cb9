import { ProblemError } from '../../clients/typescript/src/index.js'
import { datePartsOf } from '../../src/platform/dates/calendar-date.js'
import {
  annotations,
  catalogues,
  devices,
  type ItemKey,
  nameOf,
  searched,
  services,
  undecided
} from './catalogue-data.js'
import { type ClientOf, findOrCreate, hasIdentifier, personOf, printEvent, printHeading } from './client.js'
import { buyers, contracts, type PartyKey, parties, receivers, type SellerKey } from './data.js'
import { dayIn } from './days.js'

/** URLs of the parties and items, by their keys, and the time zone of the server. */
export interface World {
  parties: Record<PartyKey, string>
  items: Record<ItemKey, string>
  timeZone: string
}

/** Each buyer's clerk registers its party; the region's clerk also the sellers and contracts. */
export async function registerParties(as: ClientOf, timeZone: string): Promise<World['parties']> {
  const clerkOf = (key: PartyKey) =>
    as('AdministrativeClerk', key === 'aarhus' || key === 'viborg' ? key : 'region').order
  const order = clerkOf('region')
  printHeading('Parties and contracts', `${personOf('AdministrativeClerk', 'region')} and other clerks`)
  const urls: Partial<World['parties']> = {}
  for (const key of Object.keys(parties) as PartyKey[]) {
    const { name, allowedRoles, organization } = parties[key]
    urls[key] = await findOrCreate(
      `${name} (${allowedRoles})`,
      order.listParty({ organization }),
      (each) => each.name === name,
      (each) => order.urlOf('party', each),
      () => clerkOf(key).createParty(parties[key])
    )
  }
  const all = urls as World['parties']
  const [year = 0] = datePartsOf(dayIn(0, timeZone))
  for (const { seller, buyer, years = 0, endsInDays, ...contract } of contracts)
    await findOrCreate(
      contract.name,
      order.listContract({ seller: all[seller] }),
      ({ name }) => name === contract.name,
      (each) => order.urlOf('contract', each),
      () =>
        order.createContract({
          ...contract,
          ...{ seller: all[seller], account: all.accounting, buyer: buyer.map((key) => all[key]) },
          validityPeriod: {
            start: [year, 1, 1],
            end: endsInDays ? datePartsOf(dayIn(endsInDays, timeZone)) : [year + years - 1, 12, 31]
          }
        })
    )
  return all
}

/** Each provider publishes a catalogue: first device models, then the services for them. */
export async function publishCatalogues(as: ClientOf, partyUrls: World['parties']): Promise<World['items']> {
  const items: Partial<World['items']> = {}
  for (const seller of Object.keys(catalogues) as SellerKey[]) {
    const { name, number } = catalogues[seller]
    const api = as('Provider', seller).catalogue
    printHeading(`Catalogue of ${parties[seller].name}`, personOf('Provider', seller))
    const identifiersOf = (value: string) => [{ system: `https://${seller}.example/varenummer`, value }]
    const catalogue = await findOrCreate(
      `${name} (ACTIVE)`,
      api.listCatalogue({ seller: partyUrls[seller] }),
      hasIdentifier(number),
      (each) => api.urlOf('catalogue', each),
      () =>
        api.createCatalogue({
          ...{ name, seller: partyUrls[seller], status: 'ACTIVE', identifiers: identifiersOf(number) }
        })
    )
    const rows = [
      ...devices.map((device) => ({ ...device, device: null, catalogueItemType: 'DeviceModel' as const })),
      ...services.map((service) => ({ ...service, catalogueItemType: 'Service' as const }))
    ]
    for (const { key, seller: owner, device, number: own, ...item } of rows)
      if (owner === seller)
        items[key] = await findOrCreate(
          item.name,
          api.listCatalogueItem({ catalogue }),
          hasIdentifier(own),
          (each) => api.urlOf('catalogue-item', each),
          () =>
            api.createCatalogueItem({
              ...{ ...item, catalogue, identifiers: identifiersOf(own) },
              ...(device && { relatedTo: items[device] ?? null })
            })
        )
  }
  return items as World['items']
}

/**
 * Each clerk chooses and annotates the items that its buyer can order; a nurse excludes an item for
 * a patient.
 */
export async function fillLists(as: ClientOf, { parties: partyUrls, items }: World): Promise<void> {
  printHeading('White lists, annotations and a black list', 'The clerk of each buyer, and a nurse')
  for (const key of buyers) {
    const { catalogue } = as('AdministrativeClerk', key)
    const sellers = contracts.filter((each) => each.buyer.includes(key)).map(({ seller }) => seller)
    const buyer = partyUrls[key]
    const entries = [...devices, ...services]
      .filter(({ key, seller }) => sellers.includes(seller) && key !== undecided)
      .map((each) => ({ buyer, item: items[each.key] }))
    const notes = devices
      .filter(({ seller }) => sellers.includes(seller))
      .flatMap((each) =>
        annotations[each.key].map((one) => ({ buyer, catalogueItem: items[each.key], ...one }))
      )
    await add(`${parties[key].name}: ${entries.length} items`, catalogue.createWhiteLists(entries))
    await add(`${parties[key].name}: ${notes.length} annotations`, catalogue.createAnnotations(notes))
  }
  const { catalogue } = as('MonitoringResponsible', 'region')
  const { name, patient } = receivers.clara
  await add(
    `Not for ${name}: ${nameOf('oximeter')}`,
    catalogue.createBlackList({ patient, item: items.oximeter })
  )
  const annotation = searched.map((each) => `${each.name}:${each.value.system}|${each.value.code}`)
  for (const more of [{}, { patient }]) {
    const found = catalogue.listCatalogueItem({ buyer: partyUrls.region, annotation, ...more })
    const names = (await found.all()).map((item) => item.name).join(', ')
    printEvent('', `search for the pulse${'patient' in more ? ` and ${name}` : ''}: ${names}`)
  }
}

/** Waits for an addition. The server rejects an addition that a former run has made. */
async function add(text: string, added: Promise<unknown>): Promise<void> {
  const isNew = await added.then(
    () => true,
    (error) => {
      if (error instanceof ProblemError && error.status === 409) return false
      throw error
    }
  )
  printEvent(isNew ? 'new' : 'found', text)
}
