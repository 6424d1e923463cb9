import ExcelJS from 'exceljs'
import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload, xlsx } from '../fixtures/excel/client.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { libreOffice, skipLibreOffice } from '../fixtures/excel/libre-office.js'
import { numberFormats } from '../fixtures/excel/number-formats.js'
import { cellText, ODD_TEXTS, oddSheets, oddUnchanged } from '../fixtures/excel/odd-texts.js'
import { linksIn, readHere } from '../fixtures/excel/reading.js'
import { handMade, stylesXml } from '../fixtures/excel/workbook.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { world } from '../fixtures/world.js'

const { Devices: device } = rowFor

const sheets = ['Catalogue', 'Devices', 'Services', 'Annotations']

/**
 * The features that help to fill in a template, except for panes, which LibreOffice saves only with
 * a window.
 */
async function assertHelp(t: Test, file: Buffer): Promise<void> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(file as unknown as ArrayBuffer)
  const codes = book.getWorksheet('Codes')
  for (const [sheet, header, entries] of lists)
    t.match(listUnder(book, codes, sheet, header), entries, `${sheet}: ${header}`)
  for (const sheet of sheets) {
    const found = book.getWorksheet(sheet)
    t.ok(found?.autoFilter, `${sheet}: filter`)
    const name = found?.getCell('B1')
    t.ok(JSON.stringify(name?.note ?? '').length > 30, `${sheet}: a comment`)
    t.ok((found?.getColumn(2).width ?? 0) > 15, `${sheet}: width`)
    t.equal(found?.getCell('B3').numFmt, '@', `${sheet}: cells are text`)
  }
}

type List = [sheet: string, header: string, entries: string[]]

const lists: List[] = [
  ['Catalogue', 'Status', ['Draft', 'Active', 'Inactive']],
  ['Devices', 'Status', ['Available', 'Unavailable', 'Discontinued']],
  ['Services', 'Service type', ['Delivery', 'Pickup', 'Installation']],
  ['Services', 'Status', ['Available', 'Unavailable', 'Discontinued']],
  // Other entries may be written too.
  ['Catalogue', 'Seller', ['provider']],
  ['Annotations', 'Buyer', ['region']],
  ['Annotations', 'Annotation', ['ehealth/device-type', 'ehealth/device-measurement-type']],
  ['Annotations', 'Value', ['Oxygen analyser']]
]

/**
 * The entries of the drop-down list under a header: the values of the cells in the sheet of codes
 * that the list refers to.
 */
function listUnder(
  book: ExcelJS.Workbook,
  codes: ExcelJS.Worksheet | undefined,
  sheet: string,
  header: string
) {
  const found = book.getWorksheet(sheet)
  const column = ((found?.getRow(1).values ?? []) as string[]).findIndex(
    (text) => text?.replace(' *', '') === header
  )
  // The last of the rows that have a list.
  const [formula] = found?.getRow(61).getCell(column).dataValidation?.formulae ?? []
  const [, letters, first, last = first] =
    /Codes'?[.!]\$([A-Z]+)\$(\d+)(?::\$[A-Z]+\$(\d+))?$/.exec(String(formula)) ?? []
  return Array.from(
    { length: Number(last) - Number(first) + 1 },
    (_, at) => codes?.getCell(`${letters}${Number(first) + at}`).text
  )
}

t.test('LibreOffice', { skip: skipLibreOffice }, async (t) => {
  const convert = libreOffice(t)
  // Fewer rows with drop-down lists are quicker to convert.
  const app = await testApp(t, {}, undefined, { limits: { bulkItems: 60 } })
  const { clerk } = await world(app)
  const catalogue = await importCatalogue(clerk, oddSheets)

  await t.test('the import of an unchanged export changes nothing', async (t) => {
    const before = await contentOf(app.sql)
    const { status, body } = await catalogue.update(await convert(await catalogue.workbook()))
    t.match({ status, ...body }, oddUnchanged, JSON.stringify(body))
    t.same(await contentOf(app.sql), before)
  })

  await t.test('nor does an export of more items than an import may change', async (t) => {
    const { clerk } = await world(await testApp(t))
    const part = (first: number) =>
      sheetsWith({ Devices: Array.from({ length: 2600 }, (_, at) => device(`${first + at}`)) })
    const large = await importCatalogue(clerk, part(0))
    await large.update(part(2600))
    const { status, body } = await large.update(await convert(await large.workbook()))
    t.match({ status, ...body }, { status: 200, created: 0, changed: 0, unchanged: 5200 })
  })

  await t.test('a cell shows the number that its fault quotes', async (t) => {
    // The last option saves cells as displayed.
    const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true'
    const toCsv = libreOffice(t, 'xlsx', [], csv)
    const styles = stylesXml(numberFormats.map(([code]) => code))
    const rows = numberFormats.map(([, value], at) => `<row><c s="${at + 1}"><v>${value}</v></c></row>`)
    const lines = (await toCsv(handMade({ sheets: [rows.join('')], styles }))).toString().split('\n')
    for (const [at, [code, value, read]] of numberFormats.entries())
      if (!read.startsWith('n'))
        t.equal(lines[at]?.replace(/^"(.*)"$/, '$1').trim(), read.slice(1), `${value} as ${code}`)
  })

  await t.test('the template keeps the features that help to fill it in', async (t) => {
    const { body } = await clerk.get(`${excel}/template`, 200)
    const template = new ExcelJS.Workbook()
    await template.xlsx.load(body)
    for (const sheet of sheets)
      t.match(
        template.getWorksheet(sheet)?.views,
        [{ state: 'frozen', ySplit: 1 }],
        `${sheet}: the headers stay`
      )
    await assertHelp(t, await convert(body))
  })

  await t.test('a marked workbook opens, with its faults at their cells and links to them', async (t) => {
    const sheets = sheetsWith({
      Devices: ODD_TEXTS.map((text, at) => device(`${at}`, { Name: cellText(text), Status: 'SOLD' }))
    })
    const marked = await upload(clerk, 'POST', '/catalogue', sheets, { accept: xlsx })
    t.equal(marked.status, 422)
    const saved = await convert(marked.body)
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(saved as unknown as ArrayBuffer)
    const read = await readHere(saved)
    const [list, , devices] = book.worksheets
    t.equal(list?.name, 'Faults found')
    for (const [at, text] of ODD_TEXTS.entries()) {
      const cell = read.sheets[2]?.rows[at + 1]?.cells.find(({ column }) => column === 6)
      t.match(cell, { kind: 'text', text }, text)
      const address = `K${at + 2}`
      const faulty = devices?.getCell(address)
      t.match(faulty?.fill, { fgColor: { argb: 'FFFFC7CD' } }, address)
      t.equal(list?.getCell(at + 2, 2).text, address)
    }
    const links = await linksIn(saved)
    for (const at of ODD_TEXTS.keys())
      t.match(links.get(`B${at + 2}`), new RegExp(`Devices'?[!.]K${at + 2}$`))
  })
})
