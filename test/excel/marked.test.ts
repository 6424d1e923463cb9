import ExcelJS from 'exceljs'
import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogueBeforeFaults } from '../fixtures/excel/before-faults.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { xlsx } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { faultySheets, sorted } from '../fixtures/excel/faulty-rows.js'
import { linksIn } from '../fixtures/excel/reading.js'

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
  const { sheets, faults } = faultySheets()
  sheets.Devices?.push(['urn:no', '00123', null, 'urn:no', 124, 'Fine', 'Maker', 'M', '1.10', '=1+1', null])
  const file = await workbookOf(sheets)
  const { status, headers, body } = await catalogue.update(file, {
    headers: { accept: `${xlsx}, application/json;q=0.5` }
  })
  t.match({ status, type: headers['content-type'] }, { status: 422, type: xlsx })
  const [sent, back] = [await opened(file), await opened(body)]
  t.same(marksIn(back), [...new Set(faults.map(({ sheet, cell }) => `${sheet} ${cell}`))].sort())
  t.same(await listIn(body), sorted(faults.map((fault) => ({ ...fault, code: '' }))).map(trimmed))
  const values = valuesIn(back).filter((value) => !value.startsWith('Faults found '))
  t.same(values, valuesIn(sent))
  t.ok(valuesIn(back).some((value) => value.endsWith(' "00123"')))
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
    const book = await opened(body)
    t.same(marksIn(book), [], 'a fault of a whole sheet marks no cell')
    t.same([book.worksheets[0]?.name, ...rowsOf(book)], list)
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

testRefusal('a marked workbook lists a thousand faults, and says how many there are', async (t) => {
  const wrong = rowFor.Annotations('Z', { Buyer: 'nobody', Value: 'x' })
  const sheets = sheetsWith({ Annotations: Array(350).fill(wrong) })
  const { body } = await catalogue.update(sheets, { headers: { accept: xlsx } })
  const book = await opened(body)
  t.equal(marksIn(book).length, 1000)
  const list = rowsOf(book)
  t.equal(list.length, 1002)
  t.match(list.at(-1), /^The first 1000 of 1050 faults are listed\. /)
})

async function opened(file: Buffer): Promise<ExcelJS.Workbook> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(file as unknown as ArrayBuffer)
  return book
}

function cellsIn(book: ExcelJS.Workbook): [sheet: string, cell: ExcelJS.Cell][] {
  const cells: [string, ExcelJS.Cell][] = []
  for (const sheet of book.worksheets)
    sheet.eachRow((row) => row.eachCell({ includeEmpty: true }, (cell) => cells.push([sheet.name, cell])))
  return cells
}

/** Cells that are both coloured and commented. */
const marksIn = (book: ExcelJS.Workbook) =>
  cellsIn(book)
    .filter(([, { fill, note }]) => fill?.type === 'pattern' && fill.pattern === 'solid' && note)
    .map(([sheet, cell]) => `${sheet} ${cell.address}`)
    .sort()

/** The values of the cells: of a formula its result, or an error without one. */
const valuesIn = (book: ExcelJS.Workbook) =>
  cellsIn(book).flatMap(([sheet, { address, value, formula, result }]) => {
    const held = formula === undefined ? value : (result ?? { error: '#N/A' })
    return held === null || held === '' ? [] : [`${sheet} ${address} ${JSON.stringify(held)}`]
  })

const rowsOf = (book: ExcelJS.Workbook): string[] => {
  const rows: string[] = []
  book.worksheets[0]?.eachRow((row) =>
    rows.push([1, 2, 3, 4, 5].map((column) => row.getCell(column).text).join(' | '))
  )
  return rows
}

/** The faults in the list: the sheet, the cell to which there is a link, the column, and what was found. */
async function listIn(file: Buffer): Promise<string[]> {
  const faults: string[] = []
  const links = await linksIn(file)
  const [list] = (await opened(file)).worksheets
  list?.eachRow((row, number) => {
    if (number === 1) return
    const [sheet, cell, column, found, message] = [1, 2, 3, 4, 5].map((at) => row.getCell(at).text)
    const isLinked = links.get(`B${number}`) === `'${sheet}'!${cell}`
    faults.push(isLinked && message ? trimmed([sheet, cell, column, '', found].join(' ')) : `Row ${number}`)
  })
  return faults.sort()
}

const trimmed = (text: string) => text.replace(/\s+/g, ' ').trim()
