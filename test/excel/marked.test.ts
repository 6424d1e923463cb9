import ExcelJS from 'exceljs'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogueBeforeFaults } from '../fixtures/excel/before-faults.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload, xlsx } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { faultyRows, sorted, tabled } from '../fixtures/excel/faulty-rows.js'
import { linksIn } from '../fixtures/excel/reading.js'

const { Annotations: annotation } = rowFor
const { Catalogue: catalogueRows = [] } = sheetsWith({})

t.test('marked workbooks', async (t) => {
  const app = await testApp(t, { BULK_ITEMS: '100' })
  const { w, path } = await catalogueBeforeFaults(app)
  const before = await rowsIn(app.sql)
  t.afterEach(async () => t.same(await rowsIn(app.sql), before, 'nothing is written'))

  t.test('a returned workbook has its faulty cells marked, and lists them', async (t) => {
    const { sheets, faults } = tabled(
      faultyRows.filter(([, , ...found]) => found.length !== 1 || found[0]?.[2] !== null)
    )
    sheets.Devices?.push(['urn:no', '00123', null, 'urn:no', 124, 'Fine', 'Maker', 'M', '1.10', '=1+1', null])
    const file = await workbookOf(sheets)
    const { status, headers, body } = await upload(w.clerk, 'PUT', path, file, {
      accept: `${xlsx}, application/json;q=0.5`
    })
    t.match({ status, type: headers['content-type'] }, { status: 422, type: xlsx })
    const [sent, back] = [await opened(file), await opened(body)]
    t.same(marksIn(back), [...new Set(faults.map(({ sheet, cell }) => `${sheet} ${cell}`))].sort())
    t.same(await listIn(body), sorted(faults.map((fault) => ({ ...fault, code: '' }))).map(trimmed))
    const values = valuesIn(back).filter((value) => !value.startsWith('Faults found '))
    t.same(values, valuesIn(sent))
    t.ok(valuesIn(back).some((value) => value.endsWith(' "00123"')))
  })

  t.test('faults of whole sheets are listed in the requested language', async (t) => {
    const file = await workbookOf({ Catalogue: catalogueRows, Other: [['x']] })
    const back = async (query: string, language: string) => {
      const headers = { accept: xlsx, 'accept-language': language }
      const { status, body } = await upload(w.clerk, 'PUT', path + query, file, headers)
      t.equal(status, 422)
      const book = await opened(body)
      t.same(marksIn(book), [])
      return book.worksheets[0]?.name === undefined ? [] : [book.worksheets[0].name, ...rowsOf(book)]
    }
    const detail = 'Add a sheet named “Devices” (Danish: “Udstyr”) or “Services” (Danish: “Ydelser”).'
    const english = [
      'Faults found',
      'Sheet | Cell | Column | What was found | What to do',
      `Devices | the whole sheet |  |  | ${detail}`
    ]
    const danish = [
      'Fundne fejl',
      'Ark | Celle | Kolonne | Hvad der står | Hvad du skal gøre',
      `Devices | hele arket |  |  | Arket mangler, eller det har fået et andet navn. Sæt et ark ind med navnet “Udstyr” (engelsk: “Devices”) eller “Ydelser” (engelsk: “Services”).`
    ]
    t.same(await back('', 'en'), english)
    t.same(await back('', 'da'), danish)
    t.same(await back('?language=da', 'en'), danish)
    t.same(await back('?language=en', 'da'), english)
  })

  t.test('a marked workbook that is sent again has the same faults', async (t) => {
    const { sheets } = tabled(faultyRows)
    const file = await workbookOf(sheets)
    const marked = await upload(w.clerk, 'PUT', `${path}?language=da`, file, { accept: xlsx })
    const [first, again] = [
      await upload(w.clerk, 'PUT', path, file),
      await upload(w.clerk, 'PUT', path, marked.body)
    ]
    // A formula without result is no more than an error there.
    t.same(
      sorted(again.body.faults),
      sorted(first.body.faults).map((fault) =>
        fault.replace('formula-without-result 1+1', 'error-value #N/A')
      )
    )
  })

  t.test('a marked workbook lists a thousand faults, and says how many there are', async (t) => {
    const rows = Array.from({ length: 350 }, () => annotation('Z', { Buyer: 'nobody', Value: 'x' }))
    const file = await workbookOf(sheetsWith({ Annotations: rows }))
    const { body } = await upload(w.clerk, 'PUT', path, file, { accept: xlsx })
    const book = await opened(body)
    t.equal(marksIn(book).length, 1000)
    const list = rowsOf(book)
    t.equal(list.length, 1002)
    t.match(list.at(-1), /^The first 1000 of 1050 faults are listed\. /)
  })
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
