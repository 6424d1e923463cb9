import fc from 'fast-check'
import t from 'tap'
import { withoutControlCharacters } from '../../src/platform/util/without-control-characters.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import { effort, seed } from '../fixtures/effort.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { textsOf, workbookOfTexts } from '../fixtures/excel/edit.js'
import { type OddCatalogue, oddCatalogue } from '../fixtures/excel/odd-content.js'
import { catalogue, orders, organization, type World, world } from '../fixtures/world.js'

/*
 * Random catalogues full of odd texts: an export that is imported again changes no byte, and one
 * changed cell changes only the item of its row.
 */

const numRuns = Math.ceil(40 * effort)

interface Ground extends World {
  app: TestApp
  sellers: string[]
  buyers: string[]
  /** Devices in another catalogue of each seller. */
  elsewhere: string[]
}

const oddNames = [
  ...[' Region\tEast ', 'two\nlines', 'bell\u0007', '=1+1'],
  ...['_x000D_', '\u00a0hard', 'win\r\ndows', 'plain']
]

async function ground(app: TestApp): Promise<Ground> {
  const w = await world(app)
  const party = (name: string, role: string, of: string) =>
    w.clerk.create(`${orders}/party/`, { allowedRoles: [role], name, organization: organization(of) })
  const ground: Ground = { ...w, app, sellers: [], buyers: [], elsewhere: [] }
  for (const name of oddNames) {
    ground.buyers.push(await party(name, 'BUYER', 'region'))
    const seller = await party(name, 'SELLER', 'provider')
    ground.sellers.push(seller)
    const other = await w.clerk.create(`${catalogue}/catalogue`, { seller, name: 'Other' })
    const device = {
      catalogueItemType: 'DeviceModel',
      catalogue: other,
      name,
      manufacturer: 'M',
      model: 'M',
      identifiers: [{ system: 'urn:no', value: '1' }]
    }
    ground.elsewhere.push(await w.clerk.create(`${catalogue}/catalogue-item`, device))
  }
  return ground
}

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T

/** Creates the catalogue and its items with the JSON API, and returns its URL. */
async function createOdd(g: Ground, odd: OddCatalogue): Promise<string> {
  const apart = identifiersApart()
  const url = await g.clerk.create(`${catalogue}/catalogue`, {
    name: odd.name,
    status: odd.status,
    seller: pick(g.sellers, odd.seller),
    identifiers: identifiersApart()(odd.identifiers)
  })
  const annotated = annotationsFor(g, odd)
  const items = (list: readonly { identifiers: OddCatalogue['identifiers'] }[], from: number) =>
    list.map((item, at) => ({
      ...item,
      catalogue: url,
      identifiers: apart(item.identifiers),
      annotations: annotated.get(from + at) ?? []
    }))
  const devices = await create(g, items(odd.devices, 0))
  const related = [...devices, pick(g.elsewhere, odd.seller)]
  const services = odd.services.map(({ device, ...service }) => ({
    ...service,
    relatedTo: device === null ? null : pick(related, device)
  }))
  await create(g, items(services, odd.devices.length))
  return url
}

async function create({ clerk, monitor }: Ground, items: readonly object[]): Promise<string[]> {
  const { body } = await clerk.post(`${catalogue}/catalogue-items`, items, 201)
  return body.map(({ id }: { id: string }) => monitor.replace(/[^/]*$/, id))
}

/**
 * Makes identifiers unique in a catalogue by a number, also as a sheet shows them.
 */
function identifiersApart() {
  const taken = new Set<string>()
  let count = 0
  const isNew = ({ system, value }: { system: string; value: string }) => {
    const key = JSON.stringify([system, value].map(withoutControlCharacters))
    return !taken.has(key) && taken.add(key).size > 0
  }
  return (identifiers: OddCatalogue['identifiers']) =>
    identifiers
      .map((each) => {
        const number = ++count
        const value = [...each.value].slice(0, 3990).join('')
        if (value.trim() === '') return each
        return { ...each, value: number % 2 === 0 ? `${number}${value}` : `${value}${number}` }
      })
      .filter(isNew)
}

function annotationsFor(g: Ground, { annotations, devices, services }: OddCatalogue) {
  const byItem = new Map<number, object[]>()
  const taken = new Set<string>()
  for (const { item, buyer, named } of annotations) {
    const at = item % (devices.length + services.length)
    const shown = withoutControlCharacters(named.name)
    const key = JSON.stringify([at, buyer % g.buyers.length, shown, named.code])
    if (taken.has(key) || shown === '') continue
    taken.add(key)
    const value = { system: 'http://snomed.info/sct', code: named.code }
    byItem.set(at, [...(byItem.get(at) ?? []), { buyer: pick(g.buyers, buyer), name: named.name, value }])
  }
  return byItem
}

/** The rows that are only in the first set. */
const missingIn = (rows: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...rows].filter((row) => !others.has(row))

function assertEqual(found: unknown, wanted: unknown, what: string): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(found)?.slice(0, 3000)}, not ${JSON.stringify(wanted)}`)
}

async function tryCatalogue(g: Ground, odd: OddCatalogue): Promise<void> {
  const path = `/catalogue/${(await createOdd(g, odd)).split('/').at(-1)}`
  const before = await rowsIn(g.app.sql)
  const language = odd.change.row % 2 === 0 ? 'en' : 'da'
  const file: Buffer = (await g.clerk.get(`${excel}${path}?language=en`, 200)).body
  const items = odd.devices.length + odd.services.length
  const sent = language === 'en' ? file : (await g.clerk.get(`${excel}${path}?language=da`, 200)).body
  const { status, body } = await upload(g.clerk, 'PUT', path, sent)
  const { catalogueChange, created, changed, unchanged, annotations, faults } = body
  assertEqual(
    [status, faults, catalogueChange, created, changed, unchanged, annotations?.created],
    [200, undefined, 'unchanged', 0, 0, items, 0],
    'imported again'
  )
  assertEqual(missingIn(before, await rowsIn(g.app.sql)), [], 'rows that are gone')
  await changeOne(g, odd, { path, file, before })
}

async function changeOne(
  g: Ground,
  { change, devices }: OddCatalogue,
  { path, file, before }: { path: string; file: Buffer; before: Set<string> }
): Promise<void> {
  const row = (change.row % devices.length) + 1
  const header = pick(['Name', 'Manufacturer', 'Model', 'Version', 'Description'], change.cell)
  const texts = await textsOf(file)
  const [headers = [], ...rows] = texts.get('Devices') ?? []
  const columnOf = (name: string) => headers.findIndex((text) => text.replace(' *', '') === name)
  const cells = rows[row - 1] ?? []
  // The identifiers stand between the note and the name.
  const isNamed = cells.slice(1, columnOf('Name')).some((text) => withoutControlCharacters(text) !== '')
  cells[columnOf(header)] = change.text
  const changedFile = await workbookOfTexts(texts)
  const { status, body } = await upload(g.clerk, 'PUT', path, changedFile)
  const after = await rowsIn(g.app.sql)
  if (!isNamed) {
    assertEqual([status, body.faults?.[0]?.code], [422, 'identifier-required'], 'without identifier')
    return assertEqual(missingIn(before, after), [], 'rows that are gone')
  }
  const gone = missingIn(before, after)
  assertEqual(
    [status, body.faults, body.created, body.changed, body.annotations?.created],
    [200, undefined, 0, 1, 0],
    `${header} of row ${row} changed`
  )
  assertEqual(
    [gone.length, gone[0]?.split(' ')[0], after.size],
    [1, 'catalogue_items', before.size],
    'rows that changed'
  )
}

t.test('a catalogue full of odd texts survives export and import', async (t) => {
  const g = await ground(await testApp(t))
  const property = fc.asyncProperty(oddCatalogue, (odd) => tryCatalogue(g, odd))
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed,
    numRuns,
    endOnFailure: true
  })
  t.equal(failed ? printable(`${errorInstance} ${JSON.stringify(counterexample)}`) : '', '')
})

/** Control characters would break the report of the test. */
const printable = (text: string) => text.slice(0, 5000).replace(/[^ -~]/gu, '?')
