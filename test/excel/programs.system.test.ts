import ExcelJS from 'exceljs'
import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload, xlsx } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { missing, program } from '../fixtures/excel/programs.js'
import { linksIn, readHere } from '../fixtures/excel/reading.js'
import { world } from '../fixtures/world.js'

const { Devices: device, Services: service, Annotations: annotation } = rowFor

/** What programs take for something else, where they may. */
const texts = [
  ...[
    '00123',
    '1e5',
    '=1+1',
    '-1',
    '@x',
    "'quoted",
    'TRUE',
    '2026-01-01',
    '1/2',
    '12:30',
    '50%',
    '#N/A',
    'a\nb',
    '1,5'
  ],
  ...[
    '_x000D_',
    '<b>&amp;</b>',
    'a  b',
    'æøå 💓',
    '5700000000000012345',
    'https://example.com/a?b=c',
    '"',
    'a|b',
    '👩‍⚕️'
  ]
]

async function odd(app: TestApp) {
  const { clerk } = await world(app)
  const made = sheetsWith({
    Devices: texts.map((text, at) =>
      device(escaped(text.replace('\n', ' ')), {
        Name: `Device ${at}`,
        Version: escaped(text),
        Description: escaped(text)
      })
    ),
    Services: [
      service('S-1', { 'For device: identifier': '00123' }),
      service('S-2', { Status: 'DISCONTINUED' })
    ],
    Annotations: [annotation('00123', { Annotation: 'ehealth/device-type' }), annotation('S-1')]
  })
  const { status, headers, body } = await upload(clerk, 'POST', '/catalogue', await workbookOf(made))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { clerk, path: `/catalogue/${headers.location?.split('/').at(-1)}` }
}

const escaped = (text: string) => text.replace(/^_x/, '_x005F_x')

interface Kept {
  panes: boolean
  comments: boolean
  /** Lists beside whose entries others may be written. */
  openLists: boolean
}

/** LibreOffice saves no panes where it has no window; Gnumeric leaves out lists that refuse nothing, and exceljs does not find its comments. */
const kept = {
  soffice: { panes: false, comments: true, openLists: true },
  ssconvert: { panes: true, comments: false, openLists: false }
}

/** What of a template helps to fill it in, as another program has saved it. */
async function assertHelp(t: Test, file: Buffer, keeps: Kept): Promise<void> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(file as unknown as ArrayBuffer)
  const codes = book.getWorksheet('Codes')
  const listOf = (sheet: string, header: string) => listUnder(book, codes, sheet, header)
  for (const [sheet, header, entries] of keeps.openLists ? [...lists, ...openLists] : lists)
    t.match(listOf(sheet, header), entries, `${sheet}: ${header}`)
  for (const sheet of ['Catalogue', 'Devices', 'Services', 'Annotations']) {
    const found = book.getWorksheet(sheet)
    if (keeps.panes) t.match(found?.views, [{ state: 'frozen', ySplit: 1 }], `${sheet}: the headers stay`)
    t.ok(found?.autoFilter, `${sheet}: filter`)
    const name = found?.getCell('B1')
    if (keeps.comments) t.ok(JSON.stringify(name?.note ?? '').length > 30, `${sheet}: a comment`)
    t.ok((found?.getColumn(2).width ?? 0) > 15, `${sheet}: width`)
    t.equal(found?.getCell('B3').numFmt, '@', `${sheet}: cells are text`)
  }
}

type List = [sheet: string, header: string, entries: string[]]

const lists: List[] = [
  ['Catalogue', 'Status', ['Draft', 'Active', 'Inactive']],
  ['Devices', 'Status', ['Available', 'Unavailable', 'Discontinued']],
  ['Services', 'Service type', ['Delivery', 'Pickup', 'Installation']],
  ['Services', 'Status', ['Available', 'Unavailable', 'Discontinued']]
]
const openLists: List[] = [
  ['Catalogue', 'Seller', ['provider']],
  ['Annotations', 'Buyer', ['region']],
  ['Annotations', 'Annotation', ['ehealth/device-type', 'ehealth/device-measurement-type']],
  ['Annotations', 'Value', ['Oxygen analyser']]
]

/** The entries of the drop-down list under a header: what stands in the cells of the sheet of codes that it names. */
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

for (const name of ['soffice', 'ssconvert'] as const)
  t.test(`through ${name}`, { skip: missing(name) }, async (t) => {
    const convert = program(t, name)
    // Fewer rows with drop-down lists are quicker to convert.
    const app = await testApp(t, { BULK_ITEMS: '60' })
    const { clerk, path } = await odd(app)
    const get = async (url: string): Promise<Buffer> => (await clerk.get(`${excel}${url}`, 200)).body

    await t.test('an export changes nothing when it comes back', async (t) => {
      const before = await rowsIn(app.sql)
      const { status, body } = await upload(clerk, 'PUT', path, await convert(await get(path), 'xlsx'))
      t.match(
        { status, ...body },
        {
          ...{
            status: 200,
            catalogueChange: 'unchanged',
            created: 0,
            changed: 0,
            unchanged: texts.length + 2
          },
          annotations: { created: 0, unchanged: 2 }
        },
        JSON.stringify(body)
      )
      t.same(await rowsIn(app.sql), before)
    })

    await t.test('the template keeps what helps to fill it in', async (t) => {
      const saved = await convert(await get('/template'), 'xlsx')
      await assertHelp(t, saved, kept[name])
    })

    await t.test('a marked workbook opens, with its faults at their cells and links to them', async (t) => {
      const sheets = sheetsWith({
        Devices: texts.map((text, at) => device(`${at}`, { Name: escaped(text), Status: 'SOLD' }))
      })
      const marked = await upload(clerk, 'POST', '/catalogue', await workbookOf(sheets), { accept: xlsx })
      t.equal(marked.status, 422)
      const saved = await convert(marked.body, 'xlsx')
      const book = new ExcelJS.Workbook()
      await book.xlsx.load(saved as unknown as ArrayBuffer)
      const read = await readHere(saved)
      const [list, , devices] = book.worksheets
      t.equal(list?.name, 'Faults found')
      for (const [at, text] of texts.entries()) {
        const cell = read.sheets[2]?.rows[at + 1]?.cells.find(({ column }) => column === 6)
        t.match(cell, { kind: 'text', text, fromFormula: false }, text)
        const address = `K${at + 2}`
        const faulty = devices?.getCell(address)
        t.match(faulty?.fill, { fgColor: { argb: 'FFFFC7CD' } }, address)
        t.equal(list?.getCell(at + 2, 2).text, address)
      }
      const links = await linksIn(saved)
      for (const at of texts.keys()) t.match(links.get(`B${at + 2}`), new RegExp(`Devices'?[!.]K${at + 2}$`))
    })
  })
