import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { related, secondIdentifier } from '../fixtures/excel/faulty-rows.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { catalogue, deviceModel, world } from '../fixtures/world.js'

const { Devices: device, Services: service, Annotations: annotation } = rowFor
const app = await testApp(t)
const { clerk } = await world(app)

interface Item {
  name: string
  identifiers: { system: string; value: string }[]
}

const namesIn = (items: Item[]) =>
  items.map(({ name, identifiers }) => `${identifiers.map(({ value }) => value).join(' ')} ${name}`).sort()

/** An identifier, and how a sheet writes it. */
const spellings: [stored: string, sent: string][] = [
  ['AB 12', ' AB\u00a0 12 '],
  ['AB12', 'A\u200bB1\u00ad2\ufeff'],
  ['Ålborg-7', 'A\u030alborg\u2060-7'],
  ['00012345678905', '012345678905'],
  ['5701234567899', '05701234567899']
]

t.test('a row changes the item with its identifier, however it is spelled', async (t) => {
  const devices = spellings.map(([stored]) => device(stored, { Name: 'Old' }))
  const { update, items } = await importCatalogue(clerk, sheetsWith({ Devices: devices }))
  for (const [stored, sent] of spellings) {
    const { status, body } = await update(sheetsWith({ Devices: [device(sent, { Name: `Of ${stored}` })] }))
    t.match({ status, ...body }, { status: 200, created: 0, changed: 1 }, stored)
    t.same(
      body.changes.rows.map((row: { columns: unknown }) => row.columns),
      [[{ column: 'Name', old: 'Old', new: `Of ${stored}` }]],
      `${stored} keeps its spelling`
    )
  }
  t.same(namesIn(await items()), spellings.map(([stored]) => `${stored} Of ${stored}`).sort())
})

t.test('identifiers are stored without invisible characters', async (t) => {
  const sheets = sheetsWith({ Devices: spellings.map(([, sent]) => device(sent, { Name: 'New' })) })
  const { items } = await importCatalogue(clerk, sheets)
  const stored = ['AB 12', 'AB12', 'Ålborg-7', '012345678905', '05701234567899']
  t.same(namesIn(await items()), stored.map((value) => `${value} New`).sort())
})

t.test('equal identifiers are duplicates, in a sheet and in the catalogue', async (t) => {
  for (const [one, other] of spellings) {
    const twice = sheetsWith({ Devices: [device('X'), device(one), device(other, { Name: 'Second' })] })
    const { update } = await importCatalogue(clerk, sheetsWith({ Devices: [device('X')] }))
    t.match((await update(twice)).body, {
      faults: [{ code: 'duplicate-identifier', cell: 'B4' }],
      total: 1
    })
    await update(sheetsWith({ Devices: [device('X'), device(one)] }))
    const both = sheetsWith({ Devices: [device('X', secondIdentifier(other)), device(one)] })
    t.match((await update(both)).body, { faults: [{ code: 'duplicate-identifier', cell: 'E2' }], total: 1 })
  }
})

t.test('references to a duplicate identifier are not reported as well', async (t) => {
  const { update } = await importCatalogue(clerk, sheetsWith({ Devices: [device('X')] }))
  const sheets = sheetsWith({
    Devices: [device('Y'), device('Y', { Name: 'Second' })],
    Services: [service('S', related('urn:no', 'Y')), service('S2', related(null, 'Y'))],
    Annotations: [annotation('Y')]
  })
  t.match((await update(sheets)).body, { faults: [{ code: 'duplicate-identifier', cell: 'B3' }], total: 1 })
})

t.test('a row that fits several items changes none of them', async (t) => {
  const { url, update, items } = await importCatalogue(clerk, sheetsWith({ Devices: [device('X')] }))
  // A sheet does not show the separator of scanners.
  for (const value of ['N1', 'N\u001d1'])
    await clerk.create(
      `${catalogue}/catalogue-item`,
      deviceModel(url, { name: 'Former', identifiers: [{ system: 'urn:no', value }] })
    )
  const { status, body } = await update(sheetsWith({ Devices: [device('N1', { Name: 'Changed' })] }))
  t.equal(status, 422)
  t.match(body.faults, [{ cell: 'B2', found: 'N1', code: 'ambiguous-identifiers' }])
  t.match(body.faults[0].details, { en: /fits several items/, da: /passer til flere varer/ })
  t.equal((await items()).filter(({ name }) => name === 'Former').length, 2)
})

t.test('a service is for the device with an equal identifier, in another catalogue too', async (t) => {
  await importCatalogue(clerk, sheetsWith({ Devices: [device('00099887766550', { Name: 'Elsewhere' })] }))
  const { items } = await importCatalogue(
    clerk,
    sheetsWith({
      Devices: [device('05701234567899')],
      Services: [
        service('S-1', related('urn:no', '099887766550')),
        service('S-2', related(null, '5701234\u200b567899'))
      ]
    })
  )
  const services = (await items()).filter(({ catalogueItemType }) => catalogueItemType === 'Service')
  t.equal(services.length, 2)
  for (const { relatedTo } of services) t.ok(relatedTo)
})
