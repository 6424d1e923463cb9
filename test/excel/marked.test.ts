import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogueBeforeFaults } from '../fixtures/excel/before-faults.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { xlsx } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { type Fault, faultySheets, sorted } from '../fixtures/excel/faulty-rows.js'
import { seen } from '../fixtures/excel/marks.js'

/* Which marks a returned workbook has. test/excel/workbook/marks.test.ts has how it is marked. */

const app = await testApp(t, {}, undefined, { limits: { bulkItems: 100 } })
const { catalogue } = await catalogueBeforeFaults(app)
const before = await rowsIn(app.sql)

/** Nothing is written by the imports of the test. */
const testRefusal = (title: string, run: (t: Test) => Promise<void>) =>
  t.test(title, async (t) => {
    await run(t)
    t.same(await rowsIn(app.sql), before, 'nothing is written')
  })

testRefusal('a returned workbook has its faulty cells marked, and lists them', async (t) => {
  const file = await workbookOf(faultySheets().sheets)
  const { faults }: { faults: (Fault & { detail: string })[] } = (await catalogue.update(file)).body
  const { status, headers, body } = await catalogue.update(file, {
    headers: { accept: `${xlsx}, application/json;q=0.5` }
  })
  t.match({ status, type: headers['content-type'] }, { status: 422, type: xlsx })
  const { book, marks, list } = await seen(body)
  const cells = new Map<string, string[]>()
  for (const { sheet, cell, detail } of faults) {
    const at = `${sheet} ${cell}`
    cells.set(at, [...(cells.get(at) ?? []), detail])
  }
  t.same(marks.sort(), [...cells].map(([at, details]) => `${at} ${details.join('\n')}`).sort())
  t.same(
    list,
    faults.map(({ sheet, cell, detail }) => `${sheet} | ${cell} | '${sheet}'!${cell} | ${detail}`)
  )
  const [first] = faults
  const row = book.worksheets[0]?.getRow(2)
  t.same([row?.getCell(3).text, row?.getCell(4).text], [first?.column, first?.found])
})

const english = [
  'Faults found',
  'Sheet | Cell | Column | What was found | What to do',
  'Devices | the whole sheet |  |  | Add a sheet named “Devices” (Danish: “Udstyr”) or “Services” (Danish: “Ydelser”).'
]
const danish = [
  'Fundne fejl',
  'Ark | Celle | Kolonne | Hvad der står | Hvad du skal gøre',
  'Devices | hele arket |  |  | Arket mangler, eller det har fået et andet navn. Sæt et ark ind med navnet “Udstyr” (engelsk: “Devices”) eller “Ydelser” (engelsk: “Services”).'
]
const languages = [
  { query: '', accepted: 'en', list: english },
  { query: '', accepted: 'da', list: danish },
  { query: '?language=da', accepted: 'en', list: danish },
  { query: '?language=en', accepted: 'da', list: english }
]

for (const { query, accepted, list } of languages)
  testRefusal(`faults are listed in the language of “${query}”, else in ${accepted}`, async (t) => {
    const headers = { accept: xlsx, 'accept-language': accepted }
    const sheets = { Catalogue: sheetsWith({}).Catalogue ?? [], Other: [['x']] }
    const { status, body } = await catalogue.update(sheets, { query, headers })
    t.equal(status, 422)
    const { book, marks } = await seen(body)
    t.same(marks, [], 'a fault of a whole sheet marks no cell')
    const [sheet] = book.worksheets
    const rows = [1, 2].map((row) =>
      [1, 2, 3, 4, 5].map((at) => sheet?.getRow(row).getCell(at).text).join(' | ')
    )
    t.same([sheet?.name, ...rows], list)
  })

testRefusal('a marked workbook that is sent again has the same faults', async (t) => {
  const file = await workbookOf(faultySheets().sheets)
  const marked = await catalogue.update(file, { query: '?language=da', headers: { accept: xlsx } })
  const [first, again] = [await catalogue.update(file), await catalogue.update(marked.body)]
  // A formula without result is no more than an error there.
  t.same(
    sorted(again.body.faults),
    sorted(first.body.faults).map((fault) => fault.replace('formula-without-result 1+1', 'error-value #N/A'))
  )
})

testRefusal('the first thousand faults are reported and listed, and how many there are', async (t) => {
  const wrong = rowFor.Annotations('Z', { Buyer: 'nobody', Value: 'x' })
  const sheets = sheetsWith({ Annotations: Array(350).fill(wrong) })
  const { body: report } = await catalogue.update(sheets)
  t.same([report.total, report.faults.length], [1050, 1000])
  t.match(report.detail, '1050 faults')
  const { body } = await catalogue.update(sheets, { headers: { accept: xlsx } })
  const { marks, list } = await seen(body)
  t.equal(marks.length, 1000)
  t.equal(list.length, 1001)
  t.match(list.at(-1), /^The first 1000 of 1050 faults are listed\. /)
})
