import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { cellAt, edited, type Sheets } from '../fixtures/excel/edit.js'
import { related } from '../fixtures/excel/faulty-rows.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { catalogue, pathOf, world } from '../fixtures/world.js'

const { Devices: device, Services: service, Annotations: annotation } = rowFor
const first = sheetsWith({
  Devices: [device('D-1'), device('D-2', { Version: '1' })],
  Services: [service('S-1', related('urn:no', 'D-1')), service('S-2')]
})

interface ChangedRow {
  sheet: string
  row: number
  change: string
  columns: { column: string; old: string | null; new: string | null }[]
}

const changesOf = ({ columns }: ChangedRow): string =>
  columns.map((each) => `${each.column}: ${each.old} → ${each.new}`).join('; ')

t.test('an import reports its changes, row by row', async (t) => {
  const app = await testApp(t)
  const { clerk } = await world(app)
  const { created, update, workbook } = await importCatalogue(clerk, first)
  const dryRun = async (content: Buffer | Sheets) => (await update(content, { query: '?dryRun=true' })).body

  t.test('reports new rows with their texts', async (t) => {
    t.match(created.body.changes, { total: 5 })
    t.same(created.body.changes.rows[0], {
      ...{ sheet: 'Catalogue', row: 2, change: 'created', name: 'List', identifier: null },
      columns: [
        { column: 'Name', old: null, new: 'List' },
        { column: 'Seller', old: null, new: 'provider' },
        { column: 'Status', old: null, new: 'Active' }
      ]
    })
    t.match(created.body.changes.rows[3], {
      ...{ sheet: 'Services', row: 2, change: 'created', name: 'Service S-1', identifier: 'S-1' },
      columns: [
        { column: 'Identifier system 1', old: null, new: 'urn:no' },
        { column: 'Identifier 1', old: null, new: 'S-1' },
        { column: 'Name', old: null, new: 'Service S-1' },
        { column: 'Status', old: null, new: 'Available' },
        { column: 'Service type', old: null, new: 'Repair' },
        { column: 'For device: identifier system', old: null, new: 'urn:no' },
        { column: 'For device: identifier', old: null, new: 'D-1' }
      ]
    })
  })

  t.test('reports changed rows with the old and the new texts, and no other rows', async (t) => {
    const before = await contentOf(app.sql)
    const { changes } = await dryRun(
      sheetsWith({
        Catalogue: [rowFor.Catalogue({ Name: 'New name', Status: 'DRAFT' })],
        Devices: [device('D-1'), device('D-2', { Name: 'Better', Description: 'x'.repeat(400) })],
        Services: [service('S-1', related('urn:no', 'D-2')), service('S-3')],
        Annotations: [annotation('D-1')]
      })
    )
    t.same(await contentOf(app.sql), before, 'a dry run writes nothing')
    const shown = changes.rows.map(
      (each: ChangedRow) => `${each.sheet} ${each.row} ${each.change}: ${changesOf(each)}`
    )
    t.same(shown, [
      'Catalogue 2 changed: Name: List → New name; Status: Active → Draft',
      `Devices 3 changed: Name: Device D-2 → Better; Description: null → ${'x'.repeat(300)}…; Version: 1 → null`,
      'Services 2 changed: For device: identifier: D-1 → D-2',
      'Services 3 created: Identifier system 1: null → urn:no; Identifier 1: null → S-3; Name: null → Service S-3; Status: null → Available; Service type: null → Repair',
      'Annotations 2 created: Item: identifier system: null → urn:no; Item: identifier: null → D-1; Buyer: null → region; Annotation: null → free; Value: null → http://snomed.info/sct|19892000'
    ])
    t.equal(changes.total, 5)
  })

  t.test('counts a hidden row like a visible row', async (t) => {
    const hidden = await edited(await workbook(), (book) => {
      cellAt(book, 'Devices', 1, 'Name').value = 'Better'
      for (const row of [0, 1, 2, 9])
        Object.assign(book.getWorksheet('Devices')?.getRow(row + 1) ?? {}, { hidden: true })
    })
    t.match(await dryRun(hidden), { changed: 1, hiddenRows: 2, changes: { rows: [{ row: 2 }] } })
    t.equal((await dryRun(await workbook())).hiddenRows, 0)
  })

  t.test('reports the first two hundred of many rows', async (t) => {
    const devices = Array.from({ length: 250 }, (_, at) => device(`N-${at}`))
    const { changes } = await dryRun(sheetsWith({ Devices: devices }))
    t.equal(changes.total, 250)
    t.equal(changes.rows.length, 200)
  })

  t.test('reports the columns that were not read', async (t) => {
    const renamed = await edited(await workbook(), (book) => {
      cellAt(book, 'Devices', 0, 'Description').value = 'Describtion'
    })
    t.match(await dryRun(renamed), {
      ignored: [{ sheet: 'Devices', cell: /^[A-Z]+1$/, column: 'Describtion' }],
      changes: { total: 0 }
    })
  })
})

/** A device with identifiers in columns of the sheet, from the first; `-` for an empty column. */
function identified(values: string): Sheets {
  const columns = values.split(' ').map((value) => (value === '-' ? null : value))
  const headers = columns.flatMap((_, at) => [`Identifier system ${at + 1}`, `Identifier ${at + 1}`])
  const cells = columns.flatMap((value) => [value && 'urn:no', value])
  return {
    ...sheetsWith({}),
    Devices: [
      [...headers, 'Name', 'Manufacturer', 'Model'],
      [...cells, 'Name', 'M', 'M']
    ]
  }
}
const labels: [what: string, stored: string, sent: string, changes: string][] = [
  ['an added one', 'A', 'A B', 'Identifier system 2: null → urn:no; Identifier 2: null → B'],
  ['one that another replaces', 'A B', 'C B', 'Identifier 1: A → C'],
  ['the first one removed', 'A B', '- B', 'Identifier system 1: urn:no → null; Identifier 1: A → null'],
  ['the last one removed', 'A B', 'A -', 'Identifier system 2: urn:no → null; Identifier 2: B → null'],
  ['two that change their places', 'A B', 'B A', 'Identifier 1: A → B; Identifier 2: B → A'],
  ['one of those that have columns', 'A B C', 'D B', 'Identifier 1: A → D'],
  ['one whose columns are those of another', 'A B C', 'C D', 'Identifier 2: B → D']
]

t.test('changed identifiers are under the headers of their columns', async (t) => {
  const app = await testApp(t)
  const { clerk } = await world(app)
  for (const [what, stored, sent, changes] of labels) {
    const { update } = await importCatalogue(clerk, identified(stored))
    const { body } = await update(identified(sent), { query: '?dryRun=true' })
    t.same(body.changes.rows.map(changesOf), [changes], what)
  }

  t.test('a new identifier in the second columns is under their headers', async (t) => {
    const { created } = await importCatalogue(clerk, identified('- X'))
    t.match(created.body.changes.rows[1].columns, [
      { column: 'Identifier system 2', new: 'urn:no' },
      { column: 'Identifier 2', new: 'X' }
    ])
  })

  t.test('a value without a column is under the header that an export gives it', async (t) => {
    const { created } = await importCatalogue(clerk, identified('Y'))
    const { columns } = created.body.changes.rows[1]
    t.match(columns[3], { column: 'Status', new: 'Available' })
  })
})

t.test('an import with the tag of its check writes exactly the checked changes', async (t) => {
  const app = await testApp(t)
  const { clerk } = await world(app)
  const { update, items, url } = await importCatalogue(clerk, first)
  const next = sheetsWith({ Devices: [device('D-1', { Name: 'Next' })] })
  const check = async () => {
    const { status, headers } = await update(next, { query: '?dryRun=true' })
    t.equal(status, 200)
    return { 'if-match': String(headers.etag) }
  }
  const named = async (name: string) => (await items()).some((item) => item.name === name)
  const checked = await check()
  const [item] = await items()
  await clerk.put(`${catalogue}/catalogue-item/${item.id}`, { ...item, name: 'Of another user' }, 204)
  t.match(await update(next, { headers: checked }), { status: 412, body: { code: 'precondition-failed' } })
  t.notOk(await named('Next'), 'nothing was written')
  t.equal((await update(next, { headers: await check() })).status, 200)
  t.ok(await named('Next'))
  const last = await check()
  const list = (await clerk.get(pathOf(url), 200)).body
  await clerk.put(pathOf(url), { ...list, name: 'Renamed' }, 204)
  t.equal((await update(next, { headers: last })).status, 412, 'the catalogue itself changed')
  t.equal((await update(next)).status, 200, 'without a tag the last import wins')
})
