import t, { type Test } from 'tap'
import { testApp } from '../fixtures/app.js'
import { type Cells, rowFor, type SheetName, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload, xlsx } from '../fixtures/excel/client.js'
import { edited, type Sheets, workbookOf } from '../fixtures/excel/edit.js'
import {
  type Fault,
  faultySheets,
  related,
  secondIdentifier,
  sortedFaultTexts
} from '../fixtures/excel/faulty-rows.js'
import { importCatalogue } from '../fixtures/excel/imported-catalogue.js'
import { seen } from '../fixtures/excel/marks.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { orders, organization, world } from '../fixtures/world.js'

const { Catalogue: catalogueRow, Devices: device, Services: service, Annotations: annotation } = rowFor

const nothing = sheetsWith({})
const { Catalogue: catalogueRows = [], Devices: deviceHeaders = [] } = nothing
const renamed = (sheet: SheetName, from: string, to: string | null): Sheets => {
  const [first = [], ...rows] = sheetsWith({ Devices: [device('D-1')] })[sheet] ?? []
  return { ...nothing, [sheet]: [first.map((header) => (header === from ? to : header)), ...rows] }
}

const app = await testApp(t, {}, undefined, {
  limits: { bulkItems: 100, workbookItems: 150 }
})
const w = await world(app)
const party = { allowedRoles: ['BUYER'], name: 'twin', organization: organization('region') }
const sellerParty = { allowedRoles: ['SELLER'], name: 'pair', organization: organization('provider') }
for (const each of [party, party, sellerParty, sellerParty]) await w.clerk.create(`${orders}/party/`, each)
const elsewhere = { Catalogue: [catalogueRow({ Seller: 'other-provider' })], Devices: [device('O-1')] }
/** The items that the faulty rows refer to. */
const catalogue = await importCatalogue(
  w.clerk,
  sheetsWith({
    Devices: [
      ...['D-1', 'D-2', 'D-5'].map((value) => device(value)),
      ...['D-3', 'D-4'].map((value) => device(value, secondIdentifier(`${value}b`))),
      device('T', { 'Identifier system 1': 'urn:a' }),
      device('T', { 'Identifier system 1': 'urn:b' }),
      device('', { 'Identifier system 1': null, Name: 'Nameless' })
    ],
    Services: [service('S-1'), service('S-2')]
  })
)
await importCatalogue(w.clerk, sheetsWith(elsewhere))
// In two other catalogues of the seller.
for (let at = 0; at < 2; at++) await importCatalogue(w.clerk, sheetsWith({ Devices: [device('E')] }))

/** The imports of the test write nothing. */
const testRefusal = (title: string, run: (t: Test) => Promise<void>) =>
  t.test(title, (t) => writingNothing(t, app.sql, () => run(t)))

testRefusal('all faulty cells are reported at once, each with its address', async (t) => {
  const { sheets, faults } = faultySheets()
  const { status, body } = await catalogue.update(sheets)
  t.match({ status, ...body }, { status: 422, code: 'faulty-workbook', total: faults.length })
  t.same(sortedFaultTexts(body.faults), sortedFaultTexts(faults))
  const rows = body.faults
    .filter(({ sheet }: Fault) => sheet === 'Devices')
    .map(({ cell }: Fault) => Number(cell?.replace(/\D/g, '')))
  t.same(
    rows,
    rows.toSorted((one: number, other: number) => one - other),
    'row by row'
  )
  t.ok(body.detail.startsWith(`Nothing was written. ${faults.length} faults; the first, at `))
})

testRefusal('every faulty cell has a sentence in Danish and in English', async (t) => {
  const file = await workbookOf(faultySheets().sheets)
  const bodyIn = async (query: string, language: string) =>
    (await catalogue.update(file, { query, headers: { 'accept-language': language } })).body
  const [english, danish] = [await bodyIn('', 'en'), await bodyIn('', 'da')]
  t.match(danish.detail, /^Intet er skrevet\. \d+ fejl; den første, ved Devices /)
  t.equal((await bodyIn('?language=da', 'en')).detail, danish.detail)
  t.equal(danish.faults.length, english.faults.length)
  for (const [at, { details, detail }] of danish.faults.entries()) {
    t.match(details, { en: english.faults[at].detail, da: detail })
    t.not(details.da, details.en)
    t.match(details.en, /^[A-Z].*\.$/s)
    t.match(details.da, /^[A-ZÆØÅ].*\.$/s)
  }
})

/** Workbooks with faults that are not in a single cell. */
const refuses = (what: string, sheets: Sheets, ...faults: string[]) =>
  testRefusal(`a workbook with ${what} is refused, in Danish and in English`, async (t) => {
    const { status, body } = await catalogue.update(sheets)
    t.match({ status, total: body.total }, { status: 422, total: faults.length })
    t.same(sortedFaultTexts(body.faults), faults)
    for (const { details } of body.faults) t.not(details.da, details.en)
  })

refuses('no sheet of a catalogue', { Notes: [['Hello']] }, 'Catalogue missing-sheet', 'Devices missing-sheet')
refuses('no sheet “Catalogue”', { Devices: deviceHeaders }, 'Catalogue missing-sheet')
refuses('no sheet of items', { Catalogue: catalogueRows }, 'Devices missing-sheet')
refuses(
  'no row in “Catalogue”',
  { ...nothing, Catalogue: catalogueRows.slice(0, 1) },
  'Catalogue no-catalogue'
)
refuses(
  'two rows in “Catalogue”',
  sheetsWith({ Catalogue: [catalogueRow(), catalogueRow({ Name: 'Two' })] }),
  'Catalogue A3 second-catalogue'
)
refuses('no headers', { ...nothing, Devices: [['Monitor', 'A&D']] }, 'Devices no-headers')
refuses('a sheet in both languages', { ...nothing, Udstyr: deviceHeaders }, 'Udstyr second-sheet')
refuses(
  'a missing column, and a value under no header',
  renamed('Devices', 'Model', null),
  'Devices H2 value-without-header M',
  'Devices Model missing-column'
)
refuses(
  'a header twice',
  renamed('Devices', 'Version', 'navn *'),
  'Devices I1 navn * duplicate-header navn *'
)
refuses(
  'too many items',
  sheetsWith({
    Devices: Array.from({ length: 30 }, (_, at) => device(`N-${at}`)),
    Services: Array.from({ length: 121 }, (_, at) => service(`S-${at}`))
  }),
  'Devices too-many-items'
)
refuses(
  'too many new items',
  sheetsWith({
    Devices: Array.from({ length: 30 }, (_, at) => device(`N-${at}`)),
    Services: Array.from({ length: 71 }, (_, at) => service(`M-${at}`))
  }),
  'Services A72 too-many-changes'
)
refuses(
  'more than ten new annotations per item that may change',
  sheetsWith({
    Annotations: Array.from({ length: 1001 }, (_, at) => annotation('D-5', { Annotation: `n-${at}` }))
  }),
  'Annotations A1002 too-many-changes'
)
refuses(
  'a faulty catalogue',
  sheetsWith({
    Catalogue: [{ Seller: 'pair', Status: 'OPEN', 'Identifier system 1': 'urn:cat' }]
  }),
  'Catalogue A2 Name text-required',
  'Catalogue B2 Seller ambiguous-party pair',
  'Catalogue C2 Status unknown-coding OPEN',
  'Catalogue E2 Identifier 1 text-required'
)
refuses(
  'an unknown seller, with items of the former one',
  sheetsWith({
    Catalogue: [catalogueRow({ Seller: 'region' })],
    Devices: [device('N-1', { Status: 'SOLD' })],
    Services: [service('N-2', related(null, 'Z')), service('N-3', related('urn:no', 'N-1'))]
  }),
  'Catalogue B2 Seller dangling-reference region',
  'Devices K2 Status unknown-coding SOLD',
  'Services F2 For device: identifier dangling-reference Z'
)
refuses(
  'neither a name nor a seller',
  sheetsWith({ Catalogue: [{ Status: 'DRAFT' }] }),
  'Catalogue A2 Name text-required',
  'Catalogue B2 Seller text-required'
)

testRefusal('an unknown seller hides no faults but of relations to its other catalogues', async (t) => {
  const sheets = sheetsWith({
    Catalogue: [catalogueRow({ Seller: 'region' })],
    Devices: [device('N-1', { Status: 'SOLD' })],
    Services: [
      service('N-2', related(null, 'Z')),
      service('N-3', related('urn:no', 'N-1')),
      service('N-4', related('urn:no', 'N-2')),
      service('N-5', related('urn:gtin', 'D-5')),
      // In other catalogues.
      service('N-6', related('urn:no', 'D-5')),
      service('N-7', related(null, 'O-1'))
    ]
  })
  const { body } = await upload(w.clerk, 'POST', '/catalogue', sheets)
  t.same(sortedFaultTexts(body.faults), [
    'Catalogue B2 Seller dangling-reference region',
    'Devices K2 Status unknown-coding SOLD',
    'Services F4 For device: identifier unrelated-item N-2'
  ])
})

const ofCatalogue = [
  'Catalogue B2 Seller dangling-reference nobody',
  'Catalogue C2 Status unknown-coding OPEN'
]
const ofDevices = 'Devices K2 Status unknown-coding SOLD'
const ofOtherItems = ['Annotations C2 Buyer dangling-reference nobody', 'Services C2 Name text-required']
const dangling = [
  'Annotations B3 Item: identifier dangling-reference N-9',
  'Services F3 For device: identifier dangling-reference N-9'
]
const faultySheet: { what: string; change: Sheets; faults: string[] }[] = [
  { what: 'faulty rows', change: {}, faults: [...ofCatalogue, ofDevices, ...ofOtherItems, ...dangling] },
  {
    what: 'no catalogue',
    change: { Catalogue: catalogueRows.slice(0, 1) },
    faults: ['Catalogue no-catalogue', ofDevices, ...ofOtherItems, ...dangling]
  },
  {
    what: 'no headers in “Catalogue”',
    change: { Catalogue: [['Nothing']] },
    faults: ['Catalogue no-headers', ofDevices, ...ofOtherItems, ...dangling]
  },
  {
    // References to items are not checked when a sheet of items is not read.
    what: 'no headers in “Devices”',
    change: { Devices: [['Nothing']] },
    faults: [...ofCatalogue, 'Devices no-headers', ...ofOtherItems]
  }
]

for (const { what, change, faults } of faultySheet)
  testRefusal(`a sheet with ${what} hides no faults of the others`, async (t) => {
    const sheets = sheetsWith({
      Catalogue: [catalogueRow({ Seller: 'nobody', Status: 'OPEN' })],
      Devices: [device('N-1', { Status: 'SOLD' })],
      Services: [service('N-2', { Name: null }), service('N-3', related('urn:no', 'N-9'))],
      Annotations: [annotation('N-1', { Buyer: 'nobody' }), annotation('N-9')]
    })
    t.same(
      sortedFaultTexts((await catalogue.update({ ...sheets, ...change })).body.faults),
      faults.toSorted()
    )
  })

testRefusal('a hidden sheet is a fault', async (t) => {
  const file = await edited(await workbookOf(nothing), (book) => {
    Object.assign(book.getWorksheet('Devices') ?? {}, { state: 'hidden' })
  })
  t.same(sortedFaultTexts((await catalogue.update(file)).body.faults), ['Devices hidden-sheet'])
})

testRefusal('a sheet of annotations from a provider is a fault, unless it is empty', async (t) => {
  const send = (rows: Cells[]) =>
    upload(
      w.provider,
      'POST',
      '/catalogue?dryRun=true',
      sheetsWith({ Devices: [device('N-1')], Annotations: rows })
    )
  const { status, body } = await send([annotation('N-1')])
  t.match({ status, total: body.total }, { status: 422, total: 1 })
  t.same(sortedFaultTexts(body.faults), ['Annotations sheet-not-allowed'])
  t.equal((await send([])).status, 200)
})

/*
 * Tests which marks a returned workbook has. test/excel/workbook/marks.test.ts tests how the marks
 * are written.
 */

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
  'Devices | hele arket |  |  | Arket mangler, eller det har fået et andet navn. Sæt et ark ind med navnet »Udstyr« (engelsk: »Devices«) eller »Ydelser« (engelsk: »Services«).'
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
  // There, a formula without a result is only an error value.
  t.same(
    sortedFaultTexts(again.body.faults),
    sortedFaultTexts(first.body.faults).map((fault) =>
      fault.replace('formula-without-result 1+1', 'error-value #N/A')
    )
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
