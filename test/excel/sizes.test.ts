import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { cellAt, edited } from '../fixtures/excel/edit.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { world } from '../fixtures/world.js'

const devices = (from: number, to: number) =>
  sheetsWith({
    Devices: Array.from({ length: to - from }, (_, at) => rowFor.Devices(`N-${from + at}`))
  })

t.test('only new and changed rows count toward the limit of an import', async (t) => {
  const app = await testApp(t, {}, undefined, { limits: { bulkItems: 3, workbookItems: 7 } })
  const { clerk } = await world(app)
  const { update, workbook } = await importCatalogue(clerk, devices(0, 3))
  t.match(await update(devices(0, 6)), { status: 200, body: { created: 3, unchanged: 3 } })
  const whole = await workbook()
  t.match(await update(whole), { status: 200, body: { changed: 0, unchanged: 6 } })
  const renamed = (count: number) =>
    edited(whole, (book) => {
      for (let row = 1; row <= count; row++) cellAt(book, 'Devices', row, 'Name').value = 'Better'
    })
  t.match(await update(await renamed(3)), { status: 200, body: { changed: 3, unchanged: 3 } })
  const { status, body } = await update(await renamed(6))
  t.match({ status, ...body }, { status: 200, changed: 3, unchanged: 3 }, 'in a second step')
  const refused = await update(
    await edited(await workbook(), (book) => {
      for (let row = 1; row <= 4; row++) cellAt(book, 'Devices', row, 'Name').value = 'Best'
    })
  )
  t.match(refused, {
    status: 422,
    body: { total: 1, faults: [{ sheet: 'Devices', cell: 'A5', code: 'too-many-changes' }] }
  })
  t.match(refused.body.faults[0].details, { en: /At most 3 rows .* has 4/, da: /Højst 3 rækker .* har 4/ })
  t.match((await update(devices(0, 8))).body, {
    faults: [{ sheet: 'Devices', cell: null, code: 'too-many-items', detail: /at most 7 items.* has 8/ }]
  })
})

t.test('a larger catalogue is exported as a whole, and imported in parts', async (t) => {
  const app = await testApp(t, {}, undefined, { limits: { bulkItems: 5, workbookItems: 7 } })
  const { clerk } = await world(app)
  const { update, workbook } = await importCatalogue(clerk, devices(0, 5))
  await update(devices(5, 8))
  const whole = await workbook()
  const refused = await update(whole)
  t.match(refused, { status: 422, body: { total: 1, faults: [{ code: 'too-many-items' }] } })
  t.match(refused.body.faults[0].details, {
    en: /at most 7 items.* has 8\. Delete rows that you did not change/,
    da: /højst have 7 varer.* har 8\. Slet de rækker, du ikke har ændret/
  })
  const without = (firstRow: number) =>
    edited(whole, (book) => {
      for (const row of book.getWorksheet('Devices')?.getRows(firstRow, 4) ?? []) row.values = []
    })
  for (const rest of [await without(2), await without(6)])
    t.match(await update(rest), { status: 200, body: { created: 0, changed: 0, unchanged: 4 } })
})

t.test('each item of a large catalogue is exported and matched', async (t) => {
  const app = await testApp(t)
  const { clerk } = await world(app)
  const { update, workbook } = await importCatalogue(clerk, devices(0, 1))
  await app.sql`
    insert into catalogue_items (id, catalogue_id, type, identifiers, name, status, manufacturer, model, search_text,
      created_at)
    select gen_random_uuid(), catalogue_id, type, replace(identifiers::text, 'N-0', 'N-' || n)::jsonb, name, status,
      manufacturer, model, search_text, now()
    from catalogue_items, generate_series(1, 2000) n where identifiers::text like '%N-0%'`
  t.match(await update(await workbook()), { status: 200, body: { changed: 0, unchanged: 2001 } })
})
