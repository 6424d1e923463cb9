import { createHash } from 'node:crypto'
import type { Coding } from '../../src/platform/schemas/schemas.js'
import { searchText } from '../../src/platform/util/search-text.js'
import type { Terminology } from '../../src/terminology/terminology.js'
import type { Market, Party } from './parties.js'
import {
  deviceName,
  idAt,
  makerName,
  patientUrl,
  type Random,
  type Size,
  serviceName,
  yearBegins
} from './random.js'
import { drainAll, type TableWriter } from './tables.js'

export type ItemTables = Readonly<
  Record<'catalogues' | 'items' | 'identifiers' | 'annotations' | 'whiteList' | 'blackList', TableWriter>
>

/** The items that a buyer can order from a seller. */
export interface Assortment {
  seller: Party
  buyer: Party
  items: string[]
}

interface Catalogue {
  id: string
  seller: Party
}

const month = 30 * 86_400_000

/** Annotations of buyers; every search uses the first two. */
const always = ['ehealth/device-type', 'ehealth/device-measurement-type']
const further = [
  ...['ehealth/device-measurement-unit', 'ehealth/device-calibration-type', 'ehealth/device-metric-category'],
  'ehealth/device-metric-measuring-quality-initial'
]

/**
 * Writes catalogues, items, annotations and the two lists; two buyers of the seller list and
 * annotate each item.
 */
export async function writeItems(
  random: Random,
  size: Size,
  { market, terminology }: { market: Market; terminology: Terminology },
  to: ItemTables
): Promise<Assortment[]> {
  const catalogues = Array.from({ length: size.catalogues }, (_, at): Catalogue => {
    const seller = market.sellers[at % market.sellers.length] ?? random.pick(market.sellers)
    const id = idAt(random, yearBegins - month + at)
    const status = random.chance(0.92) ? 'ACTIVE' : 'DRAFT'
    to.catalogues.write([id, [], seller.id, `Katalog ${at}`, status, new Date(yearBegins - month)])
    return { id, seller }
  })
  const assortments = new Map<string, Assortment>()
  const lastDevice = new Map<string, string>()
  for (let at = 0; at < size.items; at++) {
    const { id, seller, createdAt } = writeItem(random, at, random.pick(catalogues), lastDevice, to)
    for (const [nth, buyer] of twoOf(random, market.customers.get(seller.id) ?? []).entries()) {
      to.whiteList.write([idAt(random, +createdAt), buyer.id, id, createdAt])
      for (const name of [...always, ...(nth === 0 ? [random.pick(further)] : [])])
        annotate(random, terminology, to.annotations, { id, buyer, name, createdAt })
      const key = `${buyer.id} ${seller.id}`
      const assortment = assortments.get(key) ?? { seller, buyer, items: [] }
      assortment.items.push(id)
      assortments.set(key, assortment)
    }
    if (at % 1000 === 0) await drainAll(to)
  }
  writeBlackList(random, size, [...assortments.values()], to.blackList)
  return [...assortments.values()]
}

function writeItem(
  random: Random,
  at: number,
  { id: catalogue, seller }: Catalogue,
  lastDevice: Map<string, string>,
  to: ItemTables
) {
  const createdAt = new Date(yearBegins - month + at * 20)
  const id = idAt(random, +createdAt)
  const device = lastDevice.get(catalogue)
  const isService = device !== undefined && random.chance(0.25)
  const name = `${isService ? serviceName(random) : deviceName(random)} ${random.below(9000) + 1000}`
  const maker = isService ? null : makerName(random)
  const model = isService ? null : `M-${random.below(900)}`
  const identifiers = [{ system: 'urn:oid:1.2.208.999.1', value: `V${at}`, assigner: seller.name }]
  to.items.write([
    ...[id, catalogue, isService ? 'Service' : 'DeviceModel', identifiers, name],
    ...[`Til brug i hjemmet, nr. ${at}`, random.chance(0.95) ? 'AVAILABLE' : 'DISCONTINUED'],
    ...[maker, model, isService ? null : '2', isService ? device : null],
    ...[isService ? 'TRAINING' : null, searchText(name, model, maker, `V${at}`), createdAt]
  ])
  for (const { system, value } of identifiers) to.identifiers.write([catalogue, digestOf(system, value), id])
  if (!isService) lastDevice.set(catalogue, id)
  return { id, seller, createdAt }
}

const digestOf = (system: string, value: string) =>
  createHash('sha256')
    .update(JSON.stringify([system, value]))
    .digest('base64')

function twoOf(random: Random, customers: readonly Party[]): Party[] {
  const one = random.pickSkewed(customers)
  return [one, random.pickSkewed(customers.filter((each) => each !== one))]
}

interface Noted {
  id: string
  buyer: Party
  name: string
  createdAt: Date
}

function annotate(random: Random, terminology: Terminology, to: TableWriter, noted: Noted): void {
  const { system, code, display }: Coding = random.pickSkewed(terminology.choices(noted.name))
  const { id, buyer, name, createdAt } = noted
  const stored = terminology.storedSystem(system)
  to.write([idAt(random, +createdAt), id, buyer.id, name, stored, code, display ?? null, createdAt])
}

/** Patients with black list entries for items that their buyers could order. */
function writeBlackList(
  random: Random,
  size: Size,
  assortments: readonly Assortment[],
  to: TableWriter
): void {
  const listed = new Set<string>()
  while (listed.size < size.blackListEntries) {
    const item = random.pick(random.pick(assortments).items)
    const patient = patientUrl(random.below(size.patients))
    if (listed.has(`${patient} ${item}`)) continue
    listed.add(`${patient} ${item}`)
    to.write([idAt(random, yearBegins), patient, item, new Date(yearBegins)])
  }
}
