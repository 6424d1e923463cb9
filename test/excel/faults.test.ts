import ExcelJS from 'exceljs'
import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import {
  addressUnder,
  type Cells,
  rowFor,
  type SheetName,
  sheetsWith
} from '../fixtures/excel/catalogue-rows.js'
import { upload, xlsx } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { edited, type Sheets, workbookOf } from '../fixtures/excel/edit.js'
import { linksIn } from '../fixtures/excel/reading.js'
import { orders, organization, type World, world } from '../fixtures/world.js'

interface Fault {
  sheet: string
  cell: string | null
  column: string | null
  code: string
  found: string | null
}

/** A sheet, a row of it, and what is wrong with the row: header, code, what was found. */
type FaultyRow = [
  sheet: SheetName,
  row: Cells,
  ...faults: [header: string | null, code: string, found: string | null][]
]

const { Devices: device, Services: service, Annotations: annotation } = rowFor
const two = (value: string) => ({ 'Identifier system 2': 'urn:no', 'Identifier 2': value })
const related = (system: string | null, value: string | null) => ({
  'For device: identifier system': system,
  'For device: identifier': value
})
const long = 'x'.repeat(4001)
const told = `${'x'.repeat(100)}…`

/** Each row has one fault, or two that cannot be without each other. */
const faultyRows: FaultyRow[] = [
  ['Devices', device('N-1', { Status: 'SOLD' }), ['Status', 'unknown-coding', 'SOLD']],
  ['Devices', device('N-2', { Name: null }), ['Name', 'text-required', null]],
  ['Devices', device('N-3', { Manufacturer: '  ' }), ['Manufacturer', 'text-required', null]],
  ['Devices', device('N-4', { Model: null }), ['Model', 'text-required', null]],
  ['Devices', device('N-5', { Description: long }), ['Description', 'text-too-long', told]],
  [
    'Devices',
    device('N-6', { 'Identifier assigner 1': long }),
    ['Identifier assigner 1', 'text-too-long', told]
  ],
  ['Devices', device('N-7')],
  ['Devices', device('N-7', { Name: 'Again' }), ['Identifier 1', 'duplicate-identifier', 'N-7']],
  ['Devices', device('N-8', two('N-8')), ['Identifier 2', 'duplicate-identifier', 'N-8']],
  ['Devices', device('D-1', two('D-2')), ['Identifier 1', 'ambiguous-identifiers', 'D-1']],
  ['Devices', device('D-3')],
  ['Devices', device('D-3b', { Name: 'Halved' }), ['Identifier 1', 'duplicate-identifier', 'D-3b']],
  [
    'Devices',
    device('', { 'Identifier system 1': null, Name: 'New' }),
    ['Identifier 1', 'identifier-required', null]
  ],
  [
    'Devices',
    device('', { 'Identifier system 1': null, Name: 'Nameless', Version: '2' }),
    ['Identifier 1', 'identifier-required', null]
  ],
  ['Devices', device('', { Name: 'Half' }), ['Identifier 1', 'text-required', null]],
  ['Devices', device('N-9', { 'Identifier system 1': null }), ['Identifier system 1', 'text-required', null]],
  ['Devices', device('N-10', { 'Identifier system 2': 'urn:no' }), ['Identifier 2', 'text-required', null]],
  [
    'Devices',
    device('', { 'Identifier system 1': null, 'Identifier assigner 1': 'Nobody' }),
    ['Identifier system 1', 'text-required', null],
    ['Identifier 1', 'text-required', null]
  ],
  [
    'Devices',
    { ...device(''), 'Identifier system 1': null, ...two('D-4b'), Status: 'SOLD' },
    ['Status', 'unknown-coding', 'SOLD']
  ],
  [
    'Devices',
    { ...device(''), 'Identifier system 1': null, ...two('N-7') },
    ['Identifier 2', 'duplicate-identifier', 'N-7']
  ],
  ['Devices', device('S-1'), ['Identifier 1', 'fixed-type', 'S-1']],
  [
    'Devices',
    device('N-11', { Version: new Date('2026-11-21') }),
    ['Version', 'date-for-text', '2026-11-21']
  ],
  ['Devices', device('N-12', { Version: true }), ['Version', 'boolean-for-text', 'TRUE']],
  ['Devices', device('N-13', { Version: { error: '#N/A' } }), ['Version', 'error-value', '#N/A']],
  [
    'Devices',
    device('N-14', { Version: { formula: '1+1' } as never }),
    ['Version', 'formula-without-result', '1+1']
  ],
  [
    'Devices',
    device('N-15', { Version: { formula: '1/0', result: { error: '#DIV/0!' } } as never }),
    ['Version', 'error-value', '#DIV/0!']
  ],
  [
    'Devices',
    device('N-16', { Version: 1234567890123456 }),
    ['Version', 'number-for-text', '1234567890123456']
  ],
  ['Devices', device('N-17', { Version: 1e21 }), ['Version', 'number-for-text', '1e+21']],
  ['Devices', device('', { 'Identifier 1': true }), ['Identifier 1', 'boolean-for-text', 'TRUE']],
  ['Devices', device('N-18', { Name: true }), ['Name', 'boolean-for-text', 'TRUE']],
  ['Services', service('N-19', { 'Service type': true }), ['Service type', 'boolean-for-text', 'TRUE']],
  ['Services', service('N-20', { 'Service type': 'PAINT' }), ['Service type', 'unknown-coding', 'PAINT']],
  ['Services', service('N-21', { 'Service type': null }), ['Service type', 'text-required', null]],
  ['Services', service('N-22', { Name: null }), ['Name', 'text-required', null]],
  ['Services', service('N-23', { Status: 'ACTIVE' }), ['Status', 'unknown-coding', 'ACTIVE']],
  ['Services', service('D-5'), ['Identifier 1', 'fixed-type', 'D-5']],
  ['Services', service('N-24', related(null, 'Z')), ['For device: identifier', 'dangling-reference', 'Z']],
  [
    'Services',
    service('N-25', related('urn:gtin', 'D-5')),
    ['For device: identifier', 'dangling-reference', 'D-5']
  ],
  ['Services', service('N-26', related(null, 'T')), ['For device: identifier', 'dangling-reference', 'T']],
  [
    'Services',
    service('N-27', related('urn:no', 'S-2')),
    ['For device: identifier', 'unrelated-item', 'S-2']
  ],
  [
    'Services',
    service('N-28', related('urn:no', 'O-1')),
    ['For device: identifier', 'dangling-reference', 'O-1']
  ],
  ['Services', service('N-29', related('urn:no', null)), ['For device: identifier', 'text-required', null]],
  [
    'Services',
    service('N-30', related('urn:no', 'E')),
    ['For device: identifier', 'dangling-reference', 'E']
  ],
  ['Annotations', annotation('Z'), ['Item: identifier', 'dangling-reference', 'Z']],
  [
    'Annotations',
    annotation('', { 'Item: identifier system': null }),
    ['Item: identifier', 'text-required', null]
  ],
  ['Annotations', annotation(''), ['Item: identifier', 'text-required', null]],
  [
    'Annotations',
    annotation('T', { 'Item: identifier system': null }),
    ['Item: identifier', 'dangling-reference', 'T']
  ],
  ['Annotations', annotation('O-1'), ['Item: identifier', 'dangling-reference', 'O-1']],
  ['Annotations', annotation('D-5', { Buyer: 'nobody' }), ['Buyer', 'dangling-reference', 'nobody']],
  [
    'Annotations',
    annotation('D-5', { Buyer: 'other-region' }),
    ['Buyer', 'dangling-reference', 'other-region']
  ],
  ['Annotations', annotation('D-5', { Buyer: 'provider' }), ['Buyer', 'dangling-reference', 'provider']],
  ['Annotations', annotation('D-5', { Buyer: 'twin' }), ['Buyer', 'ambiguous-party', 'twin']],
  ['Annotations', annotation('D-5', { Buyer: null }), ['Buyer', 'text-required', null]],
  ['Annotations', annotation('D-5', { Annotation: null }), ['Annotation', 'text-required', null]],
  ['Annotations', annotation('D-5', { Annotation: 'a|b' }), ['Annotation', 'invalid-name', 'a|b']],
  ['Annotations', annotation('D-5', { Annotation: 'a:b' }), ['Annotation', 'invalid-name', 'a:b']],
  ['Annotations', annotation('D-5', { Annotation: 'a\nb' }), ['Annotation', 'invalid-name', 'a\nb']],
  ['Annotations', annotation('D-5', { Annotation: 'x'.repeat(256) }), ['Annotation', 'text-too-long', told]],
  ['Annotations', annotation('D-5', { Value: null }), ['Value', 'text-required', null]],
  ['Annotations', annotation('D-5', { Value: 'nothing' }), ['Value', 'unknown-coding', 'nothing']],
  ['Annotations', annotation('D-5', { Value: 'urn:x|1' }), ['Value', 'unknown-coding', 'urn:x|1']],
  [
    'Annotations',
    annotation('D-5', { Annotation: 'ehealth/device-safety', Value: '19892000' }),
    ['Value', 'unknown-coding', '19892000']
  ],
  [
    'Annotations',
    annotation('D-5', { Annotation: 'ehealth/nonsense', Value: 'urn:x|2' }),
    ['Value', 'unknown-coding', 'urn:x|2']
  ],
  [
    'Annotations',
    annotation('D-5', { Buyer: 'nobody', Value: 'urn:x|1' }),
    ['Buyer', 'dangling-reference', 'nobody'],
    ['Value', 'unknown-coding', 'urn:x|1']
  ],
  [
    'Annotations',
    annotation('Y', { Buyer: 'nobody', Annotation: 'a|b', Value: 'nothing' }),
    ['Annotation', 'invalid-name', 'a|b'],
    ['Value', 'unknown-coding', 'nothing'],
    ['Buyer', 'dangling-reference', 'nobody'],
    ['Item: identifier', 'dangling-reference', 'Y']
  ],
  ['Annotations', annotation('D-5')],
  ['Annotations', annotation('D-5', { Value: '19892000' }), ['Value', 'duplicate-annotation', '19892000']]
]

/** The rows of a table as sheets, and the faults that are to be told of them. */
function tabled(table: readonly FaultyRow[]): { sheets: Sheets; faults: Fault[] } {
  const rows: Record<SheetName, Cells[]> = {
    Catalogue: [rowFor.Catalogue()],
    Devices: [],
    Services: [],
    Annotations: []
  }
  const faults: Fault[] = []
  for (const [sheet, row, ...found] of table) {
    const number = rows[sheet].push(row) + 1
    for (const [column, code, text] of found)
      faults.push({
        sheet,
        cell: column === null ? `A${number}` : addressUnder(sheet, column, number),
        column,
        code,
        found: text
      })
  }
  return { sheets: sheetsWith(rows), faults }
}

const sorted = (faults: readonly Fault[]) =>
  faults.map(({ sheet, cell, column, code, found }) => [sheet, cell, column, code, found].join(' ')).sort()

/** What there is before the faulty workbooks come: items that are found by their identifiers, and parties that share a name. */
async function ground(
  app: TestApp
): Promise<{ w: World; path: string; put: (sheets: Sheets, query?: string) => ReturnType<typeof upload> }> {
  const w = await world(app)
  for (const [name, role] of [
    ['twin', 'BUYER'],
    ['pair', 'SELLER']
  ] as const)
    for (const _ of [1, 2])
      await w.clerk.create(`${orders}/party/`, {
        allowedRoles: [role],
        name,
        organization: organization(role === 'BUYER' ? 'region' : 'provider')
      })
  const there = sheetsWith({
    Devices: [
      ...['D-1', 'D-2', 'D-5'].map((value) => device(value)),
      ...['D-3', 'D-4'].map((value) => device(value, two(`${value}b`))),
      device('T', { 'Identifier system 1': 'urn:a' }),
      device('T', { 'Identifier system 1': 'urn:b' }),
      device('', { 'Identifier system 1': null, Name: 'Nameless' })
    ],
    Services: [service('S-1'), service('S-2')]
  })
  const others = sheetsWith({
    Catalogue: [rowFor.Catalogue({ Seller: 'other-provider' })],
    Devices: [device('O-1')]
  })
  const [made] = await Promise.all([
    upload(w.clerk, 'POST', '/catalogue', await workbookOf(there)),
    upload(w.clerk, 'POST', '/catalogue', await workbookOf(others)),
    // In two other catalogues of the seller.
    upload(w.clerk, 'POST', '/catalogue', await workbookOf(sheetsWith({ Devices: [device('E')] }))),
    upload(w.clerk, 'POST', '/catalogue', await workbookOf(sheetsWith({ Devices: [device('E')] })))
  ])
  const path = `/catalogue/${made?.headers.location?.split('/').at(-1)}`
  return { w, path, put: async (sheets) => upload(w.clerk, 'PUT', path, await workbookOf(sheets)) }
}

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
  const { w, path, put } = await ground(app)
  const before = await rowsIn(app.sql)
  t.afterEach(async () => t.same(await rowsIn(app.sql), before, 'nothing is written'))

  t.test('faulty cells are told all at once, each by its place', async (t) => {
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

  t.test('so are other faults', async (t) => {
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

  t.test('a sheet that nobody sees is one', async (t) => {
    const file = await edited(await workbookOf(nothing), (book) => {
      Object.assign(book.getWorksheet('Devices') ?? {}, { state: 'hidden' })
    })
    t.same(
      sorted((await upload(w.clerk, 'PUT', path, file)).body.faults),
      sorted([ofSheet('Devices', 'hidden-sheet')])
    )
  })

  t.test('a sheet of annotations is one where a provider sends it, unless it is empty', async (t) => {
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

  t.test('of more than a thousand, a thousand are told, and how many there are', async (t) => {
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

  t.test('a workbook that is asked for comes back with the places marked', async (t) => {
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

  t.test('what is wrong with a whole sheet is listed, in the language that is asked for', async (t) => {
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

/** What the cells hold: of a formula its result, and an error where it has none. */
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
