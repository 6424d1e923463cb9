import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { cellAt, edited } from '../fixtures/excel/edit.js'
import { related, secondIdentifier } from '../fixtures/excel/faulty-rows.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { oddSheets, oddUnchanged } from '../fixtures/excel/odd-texts.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { pathOf } from '../fixtures/world.js'

const { Catalogue: catalogueRow, Devices: device, Services: service } = rowFor

interface Item {
  id: string
  name: string
}

const whole = sheetsWith({
  Catalogue: [catalogueRow({ Name: 'Home devices' })],
  Devices: [
    device('00123', {
      ...secondIdentifier('0570017'),
      Name: 'Monitor',
      Version: '1.10',
      Description: 'Arm\ncuff'
    }),
    device('124', { Name: 'Scale', Status: 'UNAVAILABLE' }),
    device('', { 'Identifier system 1': null, Name: 'Nameless' })
  ],
  Services: [
    service('S-1', { Name: 'Swap', ...related('urn:no', '00123') }),
    service('S-2', { Name: 'Teach', ...related(null, '124') }),
    service('S-3', { Name: 'Help' })
  ]
})

const { app, w } = await testWorld(t)
const { provider, clerk } = w
const imported = () => importCatalogue(provider, whole)

t.test('a catalogue equals the rows of its workbook', async (t) => {
  const { created, url, items } = await importCatalogue(provider, {
    ...whole,
    Catalogue:
      sheetsWith({
        Catalogue: [catalogueRow({ 'Identifier system 1': 'urn:cat', 'Identifier 1': 'C-1' })]
      }).Catalogue ?? []
  })
  t.match(created.body, {
    dryRun: false,
    catalogue: url,
    catalogueChange: 'created',
    created: 6,
    changed: 0,
    unchanged: 0
  })
  t.match((await clerk.get(pathOf(url), 200)).body, {
    name: 'List',
    status: { code: 'ACTIVE' },
    seller: w.seller,
    identifiers: [{ system: 'urn:cat', value: 'C-1', assigner: null }]
  })
  const found = Object.fromEntries((await items()).map((item) => [item.name, item]))
  t.match(found.Monitor, {
    identifiers: [
      { system: 'urn:no', value: '00123' },
      { system: 'urn:no', value: '0570017' }
    ],
    manufacturer: 'Maker',
    model: 'M',
    version: '1.10',
    description: 'Arm\ncuff',
    status: 'AVAILABLE'
  })
  t.match(found.Scale, { status: 'UNAVAILABLE', version: null, description: null })
  const deviceOf = (name: string) => found[name].relatedTo?.split('/').at(-1)
  t.same(['Swap', 'Teach', 'Help'].map(deviceOf), [found.Monitor.id, found.Scale.id, undefined])
})

t.test('an export that is imported again changes nothing', async (t) => {
  const catalogue = await importCatalogue(clerk, oddSheets)
  const before = await contentOf(app.sql)
  for (const caller of [provider, clerk])
    for (const language of ['en', 'da'] as const) {
      const { status, body } = await catalogue.update(await catalogue.workbook(language, caller), { caller })
      const isClerk = caller === clerk
      // A provider sees no buyer's rows.
      const none = { created: 0, unchanged: 0 }
      t.match(
        { status, ...body },
        isClerk ? oddUnchanged : { ...oddUnchanged, annotations: none, whiteList: none },
        `${language}, ${isClerk ? 'clerk' : 'provider'}`
      )
      t.same([body.changes, body.ignored], [{ total: 0, rows: [] }, []])
      t.same(await contentOf(app.sql), before)
    }
})

t.test('an import writes only changed values, and a dry run writes nothing', async (t) => {
  const catalogue = await imported()
  const file = await edited(await catalogue.workbook(), (book) => {
    cellAt(book, 'Devices', 1, 'Version').value = '1.11'
    cellAt(book, 'Devices', 2, 'Identifier system 2').value = 'urn:gtin'
    cellAt(book, 'Devices', 2, 'Identifier 2').value = '0570000000024'
    cellAt(book, 'Services', 3, 'For device: identifier').value = '124'
    cellAt(book, 'Catalogue', 1, 'Name').value = 'Home monitoring'
    const added = (book.getWorksheet('Devices')?.addRow([null, 'Phone']).number ?? 0) - 1
    cellAt(book, 'Devices', added, 'Identifier system 1').value = 'urn:no'
    cellAt(book, 'Devices', added, 'Identifier 1').value = '125'
    cellAt(book, 'Devices', added, 'Manufacturer').value = 'Nokia'
    cellAt(book, 'Devices', added, 'Model').value = '3310'
  })
  const before = await catalogue.items()
  const counts = { catalogueChange: 'changed', created: 1, changed: 3, unchanged: 3 }
  const dryRun = await catalogue.update(file, { query: '?dryRun=true' })
  t.match(dryRun, { status: 200, body: { dryRun: true, ...counts } })
  t.same(await catalogue.items(), before, 'a dry run writes nothing')
  t.match(await catalogue.update(file), { status: 200, body: { dryRun: false, ...counts } })
  const after = await catalogue.items()
  t.equal(after.length, before.length + 1)
  const isKept = (item: Item) =>
    JSON.stringify(item) === JSON.stringify(after.find(({ id }: Item) => id === item.id))
  const changed = before.filter((item: Item) => !isKept(item)).map(({ name }: Item) => name)
  t.same(changed.sort(), ['Help', 'Monitor', 'Scale'])
  const again = await catalogue.update(await catalogue.workbook())
  t.match(again.body, { created: 0, changed: 0, unchanged: 7 })
})

t.test('an item changes when any of its cells changes', async (t) => {
  const catalogue = await imported()
  const file = await catalogue.workbook()
  const cells = {
    Devices: {
      ...{ Name: 'Other', Manufacturer: 'Other', Model: 'Other', Version: '2', Description: 'Other' },
      ...{ Status: 'DISCONTINUED', 'Identifier 2': '0570000000048', 'Identifier system 2': 'urn:other' }
    },
    Services: {
      ...{ Name: 'Other', Description: 'Other', Status: 'UNAVAILABLE', 'Service type': 'SUPPORT' },
      'For device: identifier': '124'
    }
  }
  for (const [sheet, values] of Object.entries(cells))
    for (const [header, value] of Object.entries(values)) {
      const other = await edited(file, (book) => {
        cellAt(book, sheet, 1, header).value = value
      })
      const { status, body } = await catalogue.update(other, { query: '?dryRun=true' })
      t.match({ status, ...body }, { status: 200, changed: 1, unchanged: 5 }, `${sheet} ${header}`)
    }
})

t.test('an import keeps values without a column in the sheet', async (t) => {
  const catalogue = await imported()
  const before = await catalogue.items()
  const { status, body } = await catalogue.update({
    Catalogue: [
      ['Name', 'Seller'],
      ['Home devices', 'provider']
    ],
    Devices: [
      ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
      ['urn:no', '00123', 'Monitor', 'Maker', 'M'],
      ['urn:no', '124', 'Scale', 'Maker', '804']
    ],
    Services: [
      ['Identifier system 1', 'Identifier 1', 'Name', 'Service type'],
      ['urn:no', 'S-1', 'Swap', 'REPAIR']
    ]
  })
  t.match(
    { status, ...body },
    { status: 200, catalogueChange: 'unchanged', created: 0, changed: 1, unchanged: 2 }
  )
  const expected = before.map((item: Item) => (item.name === 'Scale' ? { ...item, model: '804' } : item))
  t.same(await catalogue.items(), expected)
})

t.test('an item keeps its identifiers when a sheet has only one of them', async (t) => {
  const catalogue = await imported()
  const before = await catalogue.items()
  const named = async (value: string, model: string) => {
    const { status, body } = await catalogue.update({
      Catalogue: [
        ['Name', 'Seller'],
        ['Home devices', 'provider']
      ],
      Devices: [
        ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
        ['urn:no', value, 'Monitor', 'Maker', model]
      ]
    })
    return `${status}: ${body.changed} changed, ${body.unchanged} unchanged`
  }
  t.equal(await named('0570017', 'M'), '200: 0 changed, 1 unchanged')
  t.equal(await named('0570017', 'M-2'), '200: 1 changed, 0 unchanged')
  t.equal(await named('00123', 'M'), '200: 1 changed, 0 unchanged')
  t.same(await catalogue.items(), before)
})

t.test('services are related to the identifiers that devices have after the import', async (t) => {
  const catalogue = await imported()
  const before = await catalogue.items()
  const renumbered = async (identifier: string) =>
    edited(await catalogue.workbook(), (book) => {
      cellAt(book, 'Devices', 1, 'Identifier 2').value = '0570031'
      cellAt(book, 'Services', 1, 'For device: identifier').value = identifier
    })
  t.match(await catalogue.update(await renumbered('0570017')), {
    status: 422,
    body: { faults: [{ sheet: 'Services', code: 'dangling-reference', found: '0570017' }] }
  })
  t.same(await catalogue.items(), before)
  const current = await catalogue.update(await renumbered('0570031'), { query: '?dryRun=true' })
  t.match(current, { status: 200, body: { changed: 1, unchanged: 5 } })
})
