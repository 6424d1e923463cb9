import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { type Sheets, sheetsOf } from '../fixtures/excel/edit.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { catalogue as api, organization, world } from '../fixtures/world.js'

const { Devices: device } = rowFor
const headers = ['Item: identifier system', 'Item: identifier', 'Buyer']

/** A workbook with two devices, and a white list of these rows. */
const sheetsOfList = (...rows: (string | null)[][]): Sheets => ({
  ...sheetsWith({ Devices: [device('D-1'), device('D-2')] }),
  'White list': [headers, ...rows]
})

t.test('white lists in workbooks', async (t) => {
  const app = await testApp(t)
  const { clerk, provider, buyer } = await world(app)
  const { created, update, workbook, items } = await importCatalogue(
    clerk,
    sheetsOfList(['urn:no', 'D-1', 'region'])
  )
  const listed = async () => {
    const entries = (await clerk.get(`${api}/white-lists?buyer=${encodeURIComponent(buyer)}`, 200)).body
    const ids = entries.map(({ item }: { item: string }) => item.split('/').at(-1))
    return (await items()).flatMap(({ id, name }) => (ids.includes(id) ? [name] : []))
  }

  t.test('put items on the white list of an own buyer, once', async (t) => {
    t.match(created, { status: 201, body: { whiteList: { created: 1, unchanged: 0 } } })
    t.same(await listed(), ['Device D-1'])
    const both = sheetsOfList(['urn:no', 'D-1', 'region'], [null, 'D-2', 'region'])
    const dry = await update(both, { query: '?dryRun=true' })
    t.match(dry.body, { whiteList: { created: 1, unchanged: 1 }, changes: { total: 1 } })
    t.match(dry.body.changes.rows, [
      { sheet: 'White list', row: 3, change: 'created', name: 'region', identifier: 'D-2' }
    ])
    t.same(await listed(), ['Device D-1'])
    t.match((await update(both)).body, { whiteList: { created: 1, unchanged: 1 } })
    t.same(await listed(), ['Device D-1', 'Device D-2'])
  })

  t.test('are exported for own buyers', async (t) => {
    for (const [language, name] of [
      ['en', 'White list'],
      ['da', 'Positivliste']
    ] as const) {
      const rows = (await sheetsOf(await workbook(language)))[name]?.slice(1).map((row) => row.slice(1))
      t.same(rows, [
        ['urn:no', 'D-1', 'region'],
        ['urn:no', 'D-2', 'region']
      ])
    }
    const other = app.as('AdministrativeClerk', organization('other-region'))
    const sheets = await sheetsOf(await workbook('en', other))
    t.same(sheets['White list']?.length, 1, 'another organization sees none')
    // An entry that is not in the sheet stays.
    t.match((await update(sheetsOfList())).body, { whiteList: { created: 0 } })
    t.same(await listed(), ['Device D-1', 'Device D-2'])
  })

  t.test('are rejected for callers without access to them', async (t) => {
    const withoutRight = app.as('AdministrativeClerk', organization('region'), {
      permissions: ['Catalogue.*', 'CatalogueItem.*', 'WhiteList.read', 'Annotation.*', 'Party.read']
    })
    for (const caller of [provider, withoutRight]) {
      const exported = await workbook('en', caller)
      t.notOk((await sheetsOf(exported))['White list'])
      const sent = await update(sheetsOfList(['urn:no', 'D-1', 'region']), { caller })
      t.match(sent, {
        status: 422,
        body: { total: 1, faults: [{ sheet: 'White list', code: 'sheet-not-allowed' }] }
      })
      t.equal(outcome(await update(exported, { caller })), '200')
    }
  })

  t.test('report their faults, and write nothing if there are any', async (t) => {
    const before = await contentOf(app.sql)
    const { body } = await update(
      sheetsOfList(
        ['urn:no', 'D-9', 'region'],
        ['urn:no', 'D-1', 'other-region'],
        ['urn:no', 'D-1', null],
        [null, null, 'region'],
        ['urn:no', 'D-1', 'region'],
        ['urn:no', 'D-1', 'region']
      )
    )
    const found = body.faults.map(({ cell, code }: { cell: string; code: string }) => `${cell} ${code}`)
    t.same(found, [
      'B2 dangling-reference',
      'C3 dangling-reference',
      'C4 text-required',
      'B5 text-required',
      'B7 duplicate-entry'
    ])
    t.ok(body.faults.every(({ details }: { details: Record<string, string> }) => details.da !== details.en))
    t.same(await contentOf(app.sql), before)
  })
})
