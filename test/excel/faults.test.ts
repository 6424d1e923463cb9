import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogueBeforeFaults } from '../fixtures/excel/before-faults.js'
import {
  addressUnder,
  type Cells,
  rowFor,
  type SheetName,
  sheetsWith
} from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { edited, type Sheets, workbookOf } from '../fixtures/excel/edit.js'
import { type Fault, faultyRows, related, sorted, tabled } from '../fixtures/excel/faulty-rows.js'

const { Devices: device, Services: service, Annotations: annotation } = rowFor
const address = (sheet: SheetName, header: string, row: number) => ({
  sheet,
  cell: addressUnder(sheet, header, row),
  column: header
})
const ofSheet = (sheet: string, code: string, cell: string | null = null): Fault => ({
  ...{ sheet, cell, column: null, code, found: null }
})
const nothing = sheetsWith({})
const { Catalogue: catalogueRows = [], Devices: deviceHeaders = [] } = nothing
const renamed = (sheet: SheetName, from: string, to: string | null): Sheets => {
  const [first = [], ...rows] = sheetsWith({ Devices: [device('D-1')] })[sheet] ?? []
  return { ...nothing, [sheet]: [first.map((header) => (header === from ? to : header)), ...rows] }
}

const withoutSeller = sheetsWith({
  Catalogue: [rowFor.Catalogue({ Seller: 'region' })],
  Devices: [device('N-1', { Status: 'SOLD' })],
  Services: [service('N-2', related(null, 'Z')), service('N-3', related('urn:no', 'N-1'))]
})

/** Workbooks with other faults than those of one cell. */
const faultyBooks: [what: string, sheets: Sheets, ...faults: Fault[]][] = [
  [
    'there is nothing for it',
    { Notes: [['Hello']] },
    ofSheet('Catalogue', 'missing-sheet'),
    ofSheet('Devices', 'missing-sheet')
  ],
  ['there is no catalogue', { Devices: deviceHeaders }, ofSheet('Catalogue', 'missing-sheet')],
  ['there are no items', { Catalogue: catalogueRows }, ofSheet('Devices', 'missing-sheet')],
  [
    'the catalogue is empty',
    { ...nothing, Catalogue: catalogueRows.slice(0, 1) },
    ofSheet('Catalogue', 'no-catalogue')
  ],
  [
    'there are two catalogues',
    sheetsWith({ Catalogue: [rowFor.Catalogue(), rowFor.Catalogue({ Name: 'Two' })] }),
    ofSheet('Catalogue', 'second-catalogue', 'A3')
  ],
  ['headers are missing', { ...nothing, Devices: [['Monitor', 'A&D']] }, ofSheet('Devices', 'no-headers')],
  [
    'a sheet is there in both languages',
    { ...nothing, Udstyr: deviceHeaders },
    ofSheet('Udstyr', 'second-sheet')
  ],
  [
    'a column is missing, and something under no header',
    renamed('Devices', 'Model', null),
    { ...ofSheet('Devices', 'missing-column'), column: 'Model' },
    { ...address('Devices', 'Model', 2), column: null, code: 'value-without-header', found: 'M' }
  ],
  [
    'a header is there twice',
    renamed('Devices', 'Version', 'navn *'),
    { ...address('Devices', 'Version', 1), column: 'navn *', code: 'duplicate-header', found: 'navn *' }
  ],
  [
    'too many items',
    sheetsWith({
      Devices: Array.from({ length: 30 }, (_, at) => device(`N-${at}`)),
      Services: Array.from({ length: 71 }, (_, at) => service(`N-${at}`))
    }),
    ofSheet('Devices', 'too-many-items')
  ],
  [
    'there are more than ten annotations per item that a workbook can have',
    sheetsWith({ Devices: [device('D-1')], Annotations: Array(1001).fill(rowFor.Annotations('D-1')) }),
    ofSheet('Annotations', 'too-many-annotations')
  ],
  [
    'the catalogue is faulty',
    sheetsWith({ Catalogue: [{ Seller: 'pair', Status: 'OPEN', 'Identifier system 1': 'urn:cat' }] }),
    { ...address('Catalogue', 'Name', 2), code: 'text-required', found: null },
    { ...address('Catalogue', 'Seller', 2), code: 'ambiguous-party', found: 'pair' },
    { ...address('Catalogue', 'Status', 2), code: 'unknown-coding', found: 'OPEN' },
    { ...address('Catalogue', 'Identifier 1', 2), code: 'text-required', found: null }
  ],
  [
    'the seller is none: for its items the former one counts',
    withoutSeller,
    { ...address('Catalogue', 'Seller', 2), code: 'dangling-reference', found: 'region' },
    { ...address('Devices', 'Status', 2), code: 'unknown-coding', found: 'SOLD' },
    { ...address('Services', 'For device: identifier', 2), code: 'dangling-reference', found: 'Z' }
  ],
  [
    'a name is missing, and so is the seller',
    sheetsWith({ Catalogue: [{ Status: 'DRAFT' }] }),
    { ...address('Catalogue', 'Name', 2), code: 'text-required', found: null },
    { ...address('Catalogue', 'Seller', 2), code: 'text-required', found: null }
  ]
]

t.test('faulty workbooks', async (t) => {
  const app = await testApp(t, { BULK_ITEMS: '100' })
  const { w, path, put } = await catalogueBeforeFaults(app)
  const before = await rowsIn(app.sql)
  t.afterEach(async () => t.same(await rowsIn(app.sql), before, 'nothing is written'))

  t.test('reports all faulty cells at once, each by its address', async (t) => {
    const { sheets, faults } = tabled(faultyRows)
    const { status, body } = await put(sheets)
    t.match(
      { status, code: body.code, total: body.total },
      { status: 422, code: 'faulty-workbook', total: faults.length }
    )
    t.same(sorted(body.faults), sorted(faults))
    const ofDevices = body.faults.flatMap(({ sheet, cell }: Fault) =>
      sheet === 'Devices' ? Number(cell?.replace(/\D/g, '')) : []
    )
    t.same(
      ofDevices,
      ofDevices.toSorted((one: number, other: number) => one - other),
      'row by row'
    )
    t.ok(body.faults.every(({ detail }: { detail: string }) => /^[A-Z].*\.$/s.test(detail)))
    t.ok(body.detail.startsWith(`Nothing was written. ${faults.length} faults; the first, at `))
  })

  t.test('reports faults of sheets and of the catalogue', async (t) => {
    for (const [what, sheets, ...faults] of faultyBooks) {
      const { status, body } = await put(sheets)
      t.match({ status, total: body.total }, { status: 422, total: faults.length }, what)
      t.same(sorted(body.faults ?? []), sorted(faults), what)
    }
  })

  t.test('an unknown seller hides no other faults', async (t) => {
    const sheets = sheetsWith({
      Catalogue: [rowFor.Catalogue({ Seller: 'region' })],
      Devices: [device('N-1', { Status: 'SOLD' })],
      Services: [
        ...[service('N-2', related(null, 'Z')), service('N-3', related('urn:no', 'N-1'))],
        ...[service('N-4', related('urn:no', 'N-2')), service('N-5', related('urn:gtin', 'D-5'))],
        // In catalogues of sellers that it may be.
        ...[service('N-6', related('urn:no', 'D-5')), service('N-7', related(null, 'O-1'))]
      ]
    })
    const { body } = await upload(w.clerk, 'POST', '/catalogue', await workbookOf(sheets))
    t.same(body.faults.map(({ code, found }: Fault) => `${code} ${found}`).sort(), [
      'dangling-reference D-5',
      'dangling-reference Z',
      'dangling-reference region',
      'unknown-coding SOLD',
      'unrelated-item N-2'
    ])
  })

  t.test('a faulty sheet hides no faults of the others', async (t) => {
    const sheets = sheetsWith({
      Catalogue: [rowFor.Catalogue({ Seller: 'nobody', Status: 'OPEN' })],
      Devices: [device('N-1', { Status: 'SOLD' })],
      Services: [service('N-2', { Name: null }), service('N-3', related('urn:no', 'N-9'))],
      Annotations: [annotation('N-1', { Buyer: 'nobody' }), annotation('N-9')]
    })
    const found = async (change: Sheets) =>
      sorted((await put({ ...sheets, ...change })).body.faults).map((fault) => fault.trim())
    const ofItems = ['Devices G2 Status unknown-coding SOLD', 'Services C2 Name text-required']
      .map((fault) => fault.replace('G2', addressUnder('Devices', 'Status', 2)))
      .concat('Annotations C2 Buyer dangling-reference nobody')
    const dangling = [
      'Annotations B3 Item: identifier dangling-reference N-9',
      'Services F3 For device: identifier dangling-reference N-9'
    ]
    const ofCatalogue = [
      'Catalogue B2 Seller dangling-reference nobody',
      'Catalogue C2 Status unknown-coding OPEN'
    ]
    t.same(await found({}), [...ofItems, ...dangling, ...ofCatalogue].sort())
    t.same(
      await found({ Catalogue: catalogueRows.slice(0, 1) }),
      [...ofItems, ...dangling, 'Catalogue   no-catalogue'].sort()
    )
    t.same(
      await found({ Catalogue: [['Nothing']] }),
      [...ofItems, ...dangling, 'Catalogue   no-headers'].sort()
    )
    // References to items are not judged when a sheet of items is unread.
    t.same(
      await found({ Devices: [['Nothing']] }),
      [...ofItems.slice(1), ...ofCatalogue, 'Devices   no-headers'].sort()
    )
  })

  t.test('every fault says what to do in Danish and English', async (t) => {
    const { sheets } = tabled(faultyRows)
    const file = await workbookOf(sheets)
    const bodyIn = async (query: string, language: string) =>
      (await upload(w.clerk, 'PUT', path + query, file, { 'accept-language': language })).body
    const [english, danish] = [await bodyIn('', 'en'), await bodyIn('', 'da')]
    t.match(danish.detail, /^Intet er skrevet\. \d+ fejl; den første, ved Devices /)
    t.equal((await bodyIn('?language=da', 'en')).detail, danish.detail)
    for (const [at, { details, detail }] of danish.faults.entries()) {
      t.match(details, { en: english.faults[at].detail, da: detail })
      t.not(details.da, details.en)
      t.match(details.da, /^[A-ZÆØÅ].*\.$/s)
    }
    t.equal(danish.faults.length, english.faults.length)
    for (const [, book] of faultyBooks)
      for (const { details } of (await put(book)).body.faults) t.not(details.da, details.en)
  })

  t.test('a hidden sheet is a fault', async (t) => {
    const file = await edited(await workbookOf(nothing), (book) => {
      Object.assign(book.getWorksheet('Devices') ?? {}, { state: 'hidden' })
    })
    t.same(
      sorted((await upload(w.clerk, 'PUT', path, file)).body.faults),
      sorted([ofSheet('Devices', 'hidden-sheet')])
    )
  })

  t.test('a sheet of annotations from a provider is a fault, unless it is empty', async (t) => {
    const send = async (rows: Cells[]) =>
      upload(
        w.provider,
        'POST',
        '/catalogue?dryRun=true',
        await workbookOf(sheetsWith({ Devices: [device('N-1')], Annotations: rows }))
      )
    const { status, body } = await send([annotation('N-1')])
    t.match({ status, total: body.total }, { status: 422, total: 1 })
    t.same(sorted(body.faults), sorted([ofSheet('Annotations', 'sheet-not-allowed')]))
    t.equal((await send([])).status, 200)
  })

  t.test('reports the first thousand faults, and how many there are', async (t) => {
    const wrong = { Status: 'SOLD', Version: true, Model: null, Description: false }
    const items = (make: typeof device, prefix: string) =>
      Array.from({ length: 50 }, (_, at) => make(`${prefix}${at}`, wrong))
    const annotations = Array.from({ length: 500 }, () => annotation('Z', { Buyer: 'nobody', Value: 'x' }))
    const sheets = sheetsWith({
      Devices: items(device, 'N-'),
      Services: items(service, 'M-'),
      Annotations: annotations
    })
    const { body } = await put(sheets)
    t.equal(body.total, 50 * 4 + 50 * 2 + 500 * 3)
    t.equal(body.faults.length, 1000)
    t.ok(body.detail.includes(`${body.total} faults`))
  })
})
