import t from 'tap'
import type { WorkbookErrorCode } from '../../../src/xlsx/format/workbook-error.js'
import { readHere, refusalOf, sample, sentences } from '../../fixtures/excel/reading.js'
import { handMade, sheetXml, stringsXml } from '../../fixtures/excel/workbook.js'
import { lying, repeated, zip } from '../../fixtures/excel/zip.js'

/** What must not be found in any refusal. */
const secret = 'Kilroy was here'
const cell = `<c t="inlineStr"><is><t>${secret}</t></is></c>`
const row = `<row>${cell}</row>`
const rows = (text: string) => handMade({ sheets: [text] })
const xml = (text: string) => handMade({ sheets: [{ xml: text }] })
const whole = rows(row)
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const withByte = (at: number, value: number) => {
  const file = Buffer.from(whole)
  file[at < 0 ? file.length + at : at] = value
  return file
}
const entities = `<!DOCTYPE x [<!ENTITY a "${secret}"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>`
const sheet = sheetXml(row)
const declared = (doctype: string, text = sheet) => text.replace('<worksheet', `${doctype}<worksheet`)
const rels = '_rels/.rels'

const refused: [what: string, file: () => Buffer, code: WorkbookErrorCode, place?: string][] = [
  ['nothing', () => Buffer.alloc(0), 'empty-file'],
  ['a picture', () => Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'not-a-workbook'],
  ['a PDF', () => Buffer.from('%PDF-1.7\n'), 'not-a-workbook'],
  ['a web page', () => Buffer.from('\ufeff <html><table>'), 'not-a-workbook'],
  ['a text', () => Buffer.from(`${secret};1\n`), 'is-csv'],
  ['a text in UTF-16', () => Buffer.from(`\ufeff${secret}\t1\n`, 'utf16le'), 'is-csv'],
  ['a text in an old code page', () => Buffer.from('bl\xe5;1\n', 'latin1'), 'is-csv'],
  ['a start of a compound file', () => compound, 'is-xls'],
  [
    'an encrypted workbook',
    () => Buffer.concat([compound, Buffer.alloc(500), Buffer.from('EncryptedPackage', 'utf16le')]),
    'encrypted'
  ],
  ['an encrypted part', () => encrypted(whole), 'encrypted'],
  ['another zip file', () => zip([['letter.txt', secret]]), 'not-a-workbook'],
  ['an empty zip file', () => zip([]), 'not-a-workbook'],
  [
    'a letter',
    () =>
      handMade({ sheets: [], parts: { [rels]: relsTo('word/document.xml'), 'word/document.xml': '<w/>' } }),
    'not-a-workbook'
  ],
  [
    'a binary workbook',
    () => handMade({ sheets: [], parts: { [rels]: relsTo('xl/workbook.bin') } }),
    'is-xlsb'
  ],
  ['half a file', () => whole.subarray(0, whole.length / 2), 'damaged'],
  ['a file without its last byte', () => whole.subarray(0, -1), 'damaged'],
  ['a start of a zip file', () => whole.subarray(0, 4), 'damaged'],
  ['a directory somewhere else', () => withByte(-5, 0x7f), 'damaged'],
  ['packed bytes that are not', () => garbled(whole), 'damaged'],
  ['sizes that are less than there is', () => lied(10), 'damaged'],
  ['sizes that are more than there is', () => lied(4_000_000_000), 'damaged'],
  [
    'two parts of one name',
    () => handMade({ sheets: [row], parts: { 'XL/Worksheets/Sheet1.xml': sheet } }),
    'damaged'
  ],
  ['a path out of the file', () => zip([['../../etc/passwd', secret]]), 'damaged'],
  [
    '60,000 parts',
    () => zip(Array.from({ length: 60_000 }, (_, at) => [`${at}`, ''] as const)),
    'too-many-parts'
  ],
  ['101 sheets', () => handMade({ sheets: Array(101).fill(row) }), 'too-many-sheets'],
  ['no sheets', () => handMade({ sheets: [] }), 'no-sheets'],
  [
    'a sheet that is not there',
    () => handMade({ sheets: [], parts: { 'xl/workbook.xml': lost } }),
    'no-sheets'
  ],
  ['no main part', () => zip([[rels, relsTo('xl/workbook.xml')]]), 'not-a-workbook'],

  ['a DOCTYPE', () => xml(declared('<!DOCTYPE worksheet>')), 'unsafe-content'],
  ['a billion laughs', () => xml(declared(entities, sheet.replace(secret, '&c;'))), 'unsafe-content'],
  [
    'a file of the server',
    () => xml(declared('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>')),
    'unsafe-content'
  ],
  [
    'a DOCTYPE of the shared strings',
    () => handMade({ sheets: [row], strings: `${entities}<sst/>` }),
    'unsafe-content'
  ],
  ['an unknown entity', () => xml(sheet.replace(secret, '&laugh;')), 'damaged'],
  ['no XML', () => xml(secret), 'damaged'],
  ['XML that stops', () => xml(sheet.slice(0, -20)), 'damaged'],
  ['XML that is closed wrongly', () => xml(sheet.replace('</row>', `</${secret.slice(0, 6)}>`)), 'damaged'],
  ['characters that XML does not know', () => xml(sheet.replace(secret, '\u0001')), 'damaged'],
  [
    'bytes that are no text',
    () => handMade({ sheets: [{ xml: Buffer.from(sheet.replace(secret, 'bl\xe5'), 'latin1') }] }),
    'damaged'
  ],
  ['elements within elements', () => xml(sheetXml(row, '<a>'.repeat(100) + '</a>'.repeat(100))), 'damaged'],
  [
    'a million of them',
    () => handMade({ sheets: [{ xml: repeated('<worksheet>', '<a>', 1_000_000, '') }] }),
    'damaged'
  ],

  [
    'a row twice',
    () => rows(`<row r="1048576">${cell}</row><row r="1048576">${cell}</row>`),
    'damaged',
    'row 1048576'
  ],
  ['a row after the last', () => rows(`<row r="1048577">${cell}</row>`), 'damaged', 'after row 0'],
  ['a row after the last without number', () => rows(`<row r="1048576"/><row>${cell}</row>`), 'damaged'],
  ['a row number that is huge', () => rows(`<row r="99999999999999999999">${cell}</row>`), 'damaged'],
  [
    'rows in disorder',
    () => rows(`<row r="3">${cell}</row><row r="2">${cell}</row>`),
    'damaged',
    'after row 3'
  ],
  ['row 0', () => rows(`<row r="0">${cell}</row>`), 'damaged'],
  ['a negative row', () => rows(`<row r="-1">${cell}</row>`), 'damaged'],
  ['a row that is no number', () => rows(`<row r="1e3">${cell}</row>`), 'damaged'],
  ['a column that cannot be', () => rows('<row><c r="ZZZZZ1"><v>1</v></c></row>'), 'damaged', 'row 1'],
  ['the first column that cannot be', () => rows('<row><c r="XFE1"><v>1</v></c></row>'), 'damaged'],
  ['a cell of another row', () => rows('<row r="2"><c r="A3"><v>1</v></c></row>'), 'damaged', 'row 2'],
  ['a cell twice', () => rows('<row><c r="B1"><v>1</v></c><c r="B1"><v>2</v></c></row>'), 'damaged'],
  ['cells in disorder', () => rows('<row><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>'), 'damaged'],
  ['a reference that is none', () => rows('<row><c r="$A$1"><v>1</v></c></row>'), 'damaged'],
  ['a reference without a row', () => rows('<row><c r="A"><v>1</v></c></row>'), 'damaged'],
  ['a cell before any row', () => rows(cell), 'damaged', 'before the first row'],
  ['a shared text that is not there', () => rows('<row><c t="s"><v>0</v></c></row>'), 'damaged', 'cell A1'],
  ['a shared text before the first', () => rows('<row><c t="s"><v>-1</v></c></row>'), 'damaged'],
  [
    'a number that is none',
    () => rows(`<row><c r="C1"><v>${secret}</v></c></row>`),
    'damaged',
    'sheet 1, cell C1'
  ],
  ['a number of another kind', () => rows('<row><c><v>0x10</v></c></row>'), 'damaged'],
  ['a number without end', () => rows('<row><c><v>1e999</v></c></row>'), 'damaged'],
  ['a type that there is not', () => rows('<row><c t="constructor"><v>1</v></c></row>'), 'damaged']
]

t.test('what is refused, why, and that nothing of it is told', async (t) => {
  for (const [what, file, code, place = ''] of refused) {
    const refusal = await refusalOf(readHere(file()))
    t.equal(refusal.code, code, what)
    t.ok(refusal.location?.includes(place) ?? place === '', `${what}: ${refusal.location}`)
    t.notMatch(refusal.message, /Kilroy|passwd/, what)
    t.match(refusal.message, /^[A-Z].*[.)]$/, what)
  }
})

const long = 'x'.repeat(101)
const limits: [what: string, file: () => Buffer, limit: object, code: WorkbookErrorCode][] = [
  ['bytes of the file', () => whole, { fileBytes: whole.length - 1 }, 'file-too-large'],
  ['bytes unpacked', () => rows(row.repeat(1000)), { unpackedBytes: 50_000 }, 'unpacked-too-large'],
  ['parts', () => whole, { parts: 4 }, 'too-many-parts'],
  ['sheets', () => handMade({ sheets: [row, row] }), { sheets: 1 }, 'too-many-sheets'],
  ['rows', () => rows(row.repeat(11)), { rows: 10 }, 'too-many-rows'],
  ['cells', () => handMade({ sheets: [row.repeat(6), row.repeat(5)] }), { cells: 10 }, 'too-many-cells'],
  [
    'characters of a shared text',
    () => shared(`<si><t>${long}</t></si>`),
    { cellCharacters: 100 },
    'text-too-long'
  ],
  [
    'characters of a text in pieces',
    () => shared(`<si>${`<r><t>${secret}</t></r>`.repeat(10)}</si>`),
    { cellCharacters: 100 },
    'text-too-long'
  ],
  ['characters of a text', () => rows(row.replace(secret, long)), { cellCharacters: 100 }, 'text-too-long'],
  [
    'characters of a result',
    () => rows(`<row><c><v>${long}</v></c></row>`),
    { cellCharacters: 100 },
    'text-too-long'
  ],
  [
    'characters of a formula',
    () => rows(`<row><c><f>${long}</f></c></row>`),
    { cellCharacters: 100 },
    'text-too-long'
  ],
  [
    'characters of the shared texts',
    () => shared(`<si><t>${secret}</t></si>`.repeat(8)),
    { characters: 100 },
    'too-much-text'
  ],
  ['empty shared texts', () => shared('<si/>'.repeat(101)), { characters: 100 }, 'too-much-text'],
  ['characters of the texts', () => rows(row.repeat(8)), { characters: 100 }, 'too-much-text']
]

t.test('every limit holds', async (t) => {
  for (const [what, file, limit, code] of limits) {
    const refusal = await refusalOf(readHere(file(), limit))
    t.equal(refusal.code, code, what)
    t.equal(refusal.limit, Object.values(limit)[0], what)
    t.match(refusal.message, Object.values(limit)[0].toLocaleString('en-US'), what)
  }
})

t.test('what costs nothing is not counted', async (t) => {
  const empty = handMade({
    sheets: [`${'<row s="1"><c s="1"/><c s="1"/></row>'.repeat(50_000)}${row}`]
  })
  t.same(sentences(await readHere(empty, { rows: 1, cells: 1 })), [`50001 | 1:t"${secret}"`])
  const once = handMade({
    sheets: ['<row><c t="s"><v>0</v></c></row>'.repeat(50)],
    strings: stringsXml(`<si><t>${long}</t></si>`)
  })
  t.equal(sentences(await readHere(once, { characters: 200 })).length, 50, 'a shared text counts once')
})

t.test('merged cells, drop-down lists and formats over the whole sheet cost nothing', async (t) => {
  const all = 'A1:XFD1048576'
  const after = `<mergeCells><mergeCell ref="${all}"/></mergeCells><conditionalFormatting sqref="${all}"/>
    <dataValidations><dataValidation type="list" sqref="${all}"><formula1>"a,b"</formula1></dataValidation></dataValidations>`
  const file = handMade({ sheets: [{ xml: sheetXml(row, after) }] })
  t.same(sentences(await readHere(file)), [`1 | 1:t"${secret}"`])
})

t.test('a workbook of a program is refused when a byte is changed, or read all the same', async (t) => {
  const file = sample('libreoffice.xlsx')
  for (let at = 0; at < file.length; at += 97) {
    const changed = Buffer.from(file)
    changed[at] = (changed[at] ?? 0) ^ 0x55
    const outcome = await readHere(changed).catch((error) => error)
    t.ok(outcome.sheets || outcome.name === 'WorkbookError', `${at}: ${outcome}`)
  }
})

const shared = (items: string) => handMade({ sheets: [row], strings: stringsXml(items) })

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relsTo = (target: string) =>
  `<Relationships><Relationship Id="a" Type="${office}/officeDocument" Target="${target}"/></Relationships>`
const lost = `<workbook xmlns:r="${office}"><sheets><sheet name="${secret}" r:id="nowhere"/></sheets></workbook>`

/** A workbook whose directory says something else of its sheet's size. */
const lied = (size: number) => handMade({ sheets: [{ xml: lying(sheet, size) }] })

/** The packed content of the first part changed; its name comes before it. */
function garbled(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  const start = changed.indexOf('xl/worksheets/sheet1.xml') + 'xl/worksheets/sheet1.xml'.length
  return changed.fill(0xff, start, start + 20)
}

/** The first bit of the flags of each part says that it is encrypted. */
function encrypted(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  for (let at = changed.indexOf('PK\x01\x02'); at >= 0; at = changed.indexOf('PK\x01\x02', at + 1))
    changed[at + 8] = (changed[at + 8] ?? 0) | 1
  return changed
}
