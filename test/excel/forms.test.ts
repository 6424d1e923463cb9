import ExcelJS from 'exceljs'
import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { headers, rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { edited, type Sheets, sheetsOf } from '../fixtures/excel/edit.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { organization, world } from '../fixtures/world.js'

const { Devices: device } = rowFor
const app = await testApp(t)
const { clerk } = await world(app)

interface Item {
  id: string
  name: string
  version?: string
  relatedTo?: string
}

/** The items by their names. */
const importedItems = async (content: Buffer | Sheets) => {
  const { items } = await importCatalogue(clerk, content)
  return new Map((await items()).map((item: Item) => [item.name, item]))
}

t.test('headers are found in both languages, in any case, order and position', async (t) => {
  const book = new ExcelJS.Workbook()
  const devices = book.addWorksheet('UDSTYR')
  const titles =
    ' bemærkning,Price,MODEL *,Fabrikant*,navn,Identifier 1,identifikatorsystem  1,Internal,STATUS'
  devices.addRows([
    ['Devices of the region'],
    [],
    ['Prices in kroner', null, null],
    [...titles.split(','), null, 'Version'],
    ['Example', 5, 'Not', 'meant', 'Example', 'X', 'urn:no', true, 'SOLD'],
    [],
    ['mine', 12.5, 'UA-767', 'A&D', 'Monitor', '00123', 'urn:no', new Date(), 'unavailable', null, 2],
    [null, null, '  ', null, null],
    ['eksempel', 5],
    [null, { formula: '1/0', result: { error: '#DIV/0!' } }, '803', 'Seca', 'Scale']
  ])
  Object.entries({ I10: ' discontinued ', J10: '  ', K10: '1.10' }).forEach(([address, text]) => {
    devices.getCell(address).value = text
  })
  devices.mergeCells('A1:K1')
  devices.mergeCells('A3:C3')
  book.addWorksheet('services').addRows([
    ['Ydelsestype', 'Name *', 'Til udstyr: Identifikator'],
    ['Re-Training', 'Teach', '00123'],
    ['repair', 'Mend', null]
  ])
  book.addWorksheet('Anything').addRows([['else', true]])
  book.addWorksheet(' katalog ').addRows([
    ['Leverandør', 'Name'],
    ['provider', 'List']
  ])
  const items = await importedItems(Buffer.from(await book.xlsx.writeBuffer()))
  t.same([...items.keys()].sort(), ['Mend', 'Monitor', 'Scale', 'Teach'])
  t.match(items.get('Monitor'), {
    identifiers: [{ system: 'urn:no', value: '00123', assigner: null }],
    manufacturer: 'A&D',
    model: 'UA-767',
    version: '2',
    status: 'UNAVAILABLE'
  })
  t.match(items.get('Scale'), { identifiers: [], version: '1.10', status: 'DISCONTINUED' })
  t.match(items.get('Teach'), { serviceType: { code: 'RE-TRAINING' } })
  t.equal(items.get('Teach')?.relatedTo?.split('/').at(-1), items.get('Monitor')?.id)
  t.match(items.get('Mend'), { serviceType: { code: 'REPAIR' }, relatedTo: null })
})

const cells: { cell: Partial<ExcelJS.Cell>; version: string }[] = [
  { cell: { value: 123 }, version: '123' },
  { cell: { value: 123, numFmt: '00000' }, version: '00123' },
  { cell: { value: -1.5 }, version: '-1.5' },
  { cell: { value: 570000000001234 }, version: '570000000001234' },
  { cell: { value: { formula: '"a"&"b"', result: 'ab', date1904: false } }, version: 'ab' },
  { cell: { value: { formula: '1+1', result: 2, date1904: false }, numFmt: '000' }, version: '002' },
  { cell: { value: ' around\r\nlines\n' }, version: 'around\nlines' },
  { cell: { value: '💓'.repeat(4000) }, version: '💓'.repeat(4000) },
  // Characters that a text cannot contain are left out.
  { cell: { value: '_x0000_1_xD83D_2_x0007_' }, version: '12' }
]

t.test('cells of other types are read as texts if the text is unambiguous', async (t) => {
  const book = new ExcelJS.Workbook()
  for (const [name, rows] of Object.entries(sheetsWith({}))) book.addWorksheet(name).addRows(rows)
  const sheet = book.getWorksheet('Devices')
  for (const [at, { cell }] of cells.entries()) {
    const texts = device(`N-${at}`)
    const row = sheet?.addRow(headers.Devices.map((header) => texts[header] ?? null))
    Object.assign(row?.getCell(headers.Devices.indexOf('Version') + 1) ?? {}, cell)
  }
  const items = await importedItems(Buffer.from(await book.xlsx.writeBuffer()))
  for (const [at, { version }] of cells.entries())
    t.equal(items.get(`Device N-${at}`)?.version, version, `row ${at}`)
})

const people: { userType: UserType; of: string; sheets: number; placeholders: string[] }[] = [
  {
    userType: 'AdministrativeClerk',
    of: 'region',
    sheets: 7,
    // The example Region is the buyer `region` of this fixture.
    placeholders: ['Medico Aps', 'urn:example:system|code']
  },
  { userType: 'Provider', of: 'provider', sheets: 5, placeholders: ['Medico Aps'] }
]
const filledIn = {
  en: [
    { Name: 'List', Seller: 'provider' },
    { Name: 'Monitor', Manufacturer: 'A&D', Model: 'UA' }
  ],
  da: [
    { Navn: 'List', Leverandør: 'provider' },
    { Navn: 'Monitor', Fabrikant: 'A&D', Model: 'UA' }
  ]
}

for (const { userType, of, sheets, placeholders } of people)
  for (const language of ['en', 'da'] as const)
    t.test(`the template of a ${userType}, in ${language}`, async (t) => {
      const caller = app.as(userType, organization(of))
      const template: Buffer = (await caller.get(`${excel}/template?language=${language}`, 200)).body
      const names = Object.keys(await sheetsOf(template))
      t.equal(names.length, sheets)

      t.test('has valid examples, except for their placeholders', async (t) => {
        const examples = await edited(template, (book) => {
          for (const sheet of book.worksheets)
            sheet.getColumn(1).eachCell((cell) => {
              if (/^(EXAMPLE|EKSEMPEL)$/.test(cell.text)) cell.value = null
            })
        })
        const { body } = await upload(caller, 'POST', '/catalogue?dryRun=true', examples)
        t.same(
          body.faults.map(({ found }: { found: string | null }) => found),
          placeholders
        )
      })

      t.test('has no catalogue until the user fills it in', async (t) => {
        t.match(await upload(caller, 'POST', '/catalogue', template), {
          status: 422,
          body: { total: 1, faults: [{ sheet: names[1], code: 'no-catalogue' }] }
        })
        const filled = await edited(template, (book) => {
          for (const [at, cells] of filledIn[language].entries()) fill(book.worksheets[at + 1], cells)
        })
        const { created, items } = await importCatalogue(caller, filled)
        t.match(created.body, { created: 1, annotations: { created: 0 } })
        t.match(await items(), [{ name: 'Monitor' }])
      })
    })

t.test(
  'a template begins with names, fits the width of a printed page, and has a name in its language',
  async (t) => {
    const template = (language: string) => clerk.get(`${excel}/template?language=${language}`, 200)
    const { headers: sent, body } = await template('da')
    t.equal(sent['content-disposition'], 'attachment; filename="katalog.xlsx"')
    t.equal((await template('en')).headers['content-disposition'], 'attachment; filename="catalogue.xlsx"')
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(body as unknown as ArrayBuffer)
    for (const name of ['Katalog', 'Udstyr', 'Ydelser']) {
      const sheet = book.getWorksheet(name)
      t.equal(sheet?.getCell('B1').text, 'Navn *', name)
      t.match(
        sheet?.pageSetup,
        { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
        name
      )
    }
  }
)

t.test('an identifier without a system has that of the catalogue', async (t) => {
  const number = { 'Identifier system 1': null, 'Identifier system 2': 'urn:gtin', 'Identifier 2': '1' }
  const withSystem = (system: string | null) =>
    sheetsWith({
      Devices: [device('00123', number)],
      Catalogue: [
        rowFor.Catalogue({ Name: `Of ${system}`, 'Identifier system 1': system, 'Identifier 1': system })
      ]
    })
  const { items, update } = await importCatalogue(clerk, withSystem('urn:own'))
  t.match(await items(), [{ identifiers: [{ system: 'urn:own', value: '00123' }, { system: 'urn:gtin' }] }])
  t.match(await update(withSystem('urn:own')), { status: 200, body: { changed: 0, unchanged: 1 } })
  t.match(await update(withSystem(null)), { status: 422, body: { faults: [{ code: 'text-required' }] } })
})

/** Adds a row below the existing rows. */
function fill(sheet: ExcelJS.Worksheet | undefined, cells: Record<string, string>): void {
  const titles = (sheet?.getRow(1).values ?? []) as string[]
  const row = sheet?.addRow([])
  for (const [header, text] of Object.entries(cells))
    if (row) row.getCell(titles.findIndex((title) => title?.replace(' *', '') === header)).value = text
}
