import t, { type Test } from 'tap'
import { workbookProblem } from '../../../src/excel/problems.js'
import type { WorkbookLimits } from '../../../src/xlsx/format/limits.js'
import type { WorkbookLocation } from '../../../src/xlsx/format/workbook-error.js'
import { readHere, refusalOf, rowSentences, sampleFile } from '../../fixtures/excel/reading.js'
import { handMade, sheetXml, stringsXml } from '../../fixtures/excel/workbook.js'
import { repeatedContent, withDeclaredSize, withWrongChecksum, zip } from '../../fixtures/excel/zip.js'

/** Content of the files. */
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

/** Files that are rejected, by the code of the error. */
const refused: Record<string, Record<string, () => Buffer>> = {
  'empty-file': {
    nothing: () => Buffer.alloc(0)
  },
  'not-a-workbook': {
    'a picture': () => Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
    'a PDF': () => Buffer.from('%PDF-1.7\n'),
    'a web page': () => Buffer.from('\ufeff <html><table>'),
    'another zip file': () => zip([['letter.txt', secret]]),
    'an empty zip file': () => zip([]),
    'a letter': () =>
      handMade({ sheets: [], parts: { [rels]: relsTo('word/document.xml'), 'word/document.xml': '<w/>' } }),
    'no main part': () => zip([[rels, relsTo('xl/workbook.xml')]])
  },
  'is-csv': {
    'a text': () => Buffer.from(`${secret};1\n`),
    'a text in UTF-16': () => Buffer.from(`\ufeff${secret}\t1\n`, 'utf16le'),
    'a text in an old code page': () => Buffer.from('bl\xe5;1\n', 'latin1')
  },
  'is-xls': {
    'a start of a compound file': () => compound
  },
  'is-ods': {
    'an OpenDocument spreadsheet': () => zip([['mimetype', 'application/vnd.oasis.opendocument.spreadsheet']])
  },
  encrypted: {
    'an encrypted workbook': () =>
      Buffer.concat([compound, Buffer.alloc(500), Buffer.from('EncryptedPackage', 'utf16le')]),
    'an encrypted part': () => encrypted(whole)
  },
  'is-xlsb': {
    'a binary workbook': () => handMade({ sheets: [], parts: { [rels]: relsTo('xl/workbook.bin') } })
  },
  damaged: {
    'half a file': () => whole.subarray(0, whole.length / 2),
    'a file without its last byte': () => whole.subarray(0, -1),
    'a start of a zip file': () => whole.subarray(0, 4),
    'a directory somewhere else': () => withByte(-5, 0x7f),
    'packed bytes that are not': () => garbled(whole),
    'sizes that are less than there is': () => lied(10),
    'sizes that are more than there is': () => lied(4_000_000_000),
    'content with another checksum': () =>
      handMade({ sheets: [{ xml: withWrongChecksum(sheet, sheet.replace('Kilroy', 'Kilrou')) }] }),
    'two parts of one name': () => handMade({ sheets: [row], parts: { 'XL/Worksheets/Sheet1.xml': sheet } }),
    'a path out of the file': () => zip([['../../etc/passwd', secret]]),
    'an unknown entity': () => xml(sheet.replace(secret, '&laugh;')),
    'an encoding that a part cannot have': () =>
      xml(`<?xml version="1.0" encoding="UTF-7"?>${sheet.replace(/^<\?xml.*?\?>/, '')}`),
    'a part in UTF-16': () =>
      handMade({ sheets: [{ xml: Buffer.from(`\ufeff${sheet.replace('UTF-8', 'UTF-16')}`, 'utf16le') }] }),
    'no XML': () => xml(secret),
    'XML that stops': () => xml(sheet.slice(0, -20)),
    'XML that is closed wrongly': () => xml(sheet.replace('</row>', `</${secret.slice(0, 6)}>`)),
    'characters that XML does not know': () => xml(sheet.replace(secret, '\u0001')),
    'bytes that are no text': () =>
      handMade({ sheets: [{ xml: Buffer.from(sheet.replace(secret, 'bl\xe5'), 'latin1') }] }),
    'elements within elements': () => xml(sheetXml(row, '<a>'.repeat(100) + '</a>'.repeat(100))),
    'a million of them': () =>
      handMade({ sheets: [{ xml: repeatedContent('<worksheet>', '<a>', 1_000_000, '') }] }),
    'a row after the last without number': () => rows(`<row r="1048576"/><row>${cell}</row>`),
    'a row number that is huge': () => rows(`<row r="99999999999999999999">${cell}</row>`),
    'row 0': () => rows(`<row r="0">${cell}</row>`),
    'a negative row': () => rows(`<row r="-1">${cell}</row>`),
    'a row that is no number': () => rows(`<row r="1e3">${cell}</row>`),
    'the first column that cannot be': () => rows('<row><c r="XFE1"><v>1</v></c></row>'),
    'a cell twice': () => rows('<row><c r="B1"><v>1</v></c><c r="B1"><v>2</v></c></row>'),
    'cells in disorder': () => rows('<row><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>'),
    'a reference that is none': () => rows('<row><c r="$A$1"><v>1</v></c></row>'),
    'a reference without a row': () => rows('<row><c r="A"><v>1</v></c></row>'),
    'a shared text before the first': () => rows('<row><c t="s"><v>-1</v></c></row>'),
    'a number of another kind': () => rows('<row><c><v>0x10</v></c></row>'),
    'a number without end': () => rows('<row><c><v>1e999</v></c></row>'),
    'a type that there is not': () => rows('<row><c t="constructor"><v>1</v></c></row>')
  },
  'too-many-parts': {
    '60,000 parts': () => zip(Array.from({ length: 60_000 }, (_, at) => [`${at}`, ''] as const))
  },
  'too-many-sheets': {
    '101 sheets': () => handMade({ sheets: Array(101).fill(row) })
  },
  'no-sheets': {
    'no sheets': () => handMade({ sheets: [] }),
    'a sheet that is not there': () => handMade({ sheets: [], parts: { 'xl/workbook.xml': lost } })
  },
  'unsafe-content': {
    'a DOCTYPE': () => xml(declared('<!DOCTYPE worksheet>')),
    'a billion laughs': () => xml(declared(entities, sheet.replace(secret, '&c;'))),
    'a file of the server': () => xml(declared('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>')),
    'a DOCTYPE of the shared strings': () => handMade({ sheets: [row], strings: `${entities}<sst/>` })
  }
}

const lastRow = `<row r="1048576">${cell}</row>`
const withCell = (attributes: string, content: string) => rows(`<row><c ${attributes}>${content}</c></row>`)

/** Damaged files, and the place that the error names. */
const damagedAt: readonly [place: string, location: WorkbookLocation, file: () => Buffer][] = [
  ['row 1048576', { sheet: 1, row: 1_048_576 }, () => rows(lastRow.repeat(2))],
  ['sheet 1', { sheet: 1, row: 0 }, () => rows(lastRow.replace('76', '77'))],
  ['row 3', { sheet: 1, row: 3 }, () => rows(`<row r="3">${cell}</row><row r="2">${cell}</row>`)],
  ['row 1', { sheet: 1, row: 1 }, () => withCell('r="ZZZZZ1"', '<v>1</v>')],
  ['row 2', { sheet: 1, row: 2 }, () => rows('<row r="2"><c r="A3"><v>1</v></c></row>')],
  ['sheet 1', { sheet: 1, row: 0 }, () => rows(cell)],
  ['cell A1', { sheet: 1, cell: 'A1' }, () => withCell('t="s"', '<v>0</v>')],
  ['sheet 1, cell C1', { sheet: 1, cell: 'C1' }, () => withCell('r="C1"', `<v>${secret}</v>`)]
]

async function assertRefused(t: Test, what: string, file: Buffer, code: string) {
  const refusal = await refusalOf(readHere(file))
  t.equal(refusal.code, code, what)
  const { en, da } = workbookProblem(refusal).detail
  t.notMatch(`${JSON.stringify(refusal)} ${en} ${da}`, /Kilroy|passwd/, what)
  t.match(en, /^[A-Z].*[.)]$/, what)
  if (['is-csv', 'is-xls', 'is-ods'].includes(code)) t.match(en, /Excel.*Save As.*LibreOffice.*Save As/, what)
  return refusal
}

for (const [code, files] of Object.entries(refused))
  t.test(`a file is rejected as ${code}, with none of its content in the message`, async (t) => {
    for (const [what, file] of Object.entries(files)) await assertRefused(t, what, file(), code)
  })

t.test('the error for a damaged file names the place', async (t) => {
  for (const [place, location, file] of damagedAt) {
    const refusal = await assertRefused(t, place, file(), 'damaged')
    t.same(refusal.location, location)
    t.match(workbookProblem(refusal).detail.en, `${place}.)`)
  }
})

const long = 'x'.repeat(101)
interface Beyond {
  limit: Partial<WorkbookLimits>
  files: readonly (() => Buffer)[]
}

/** Files beyond a limit, by the code of the error. */
const beyond: Record<string, Beyond> = {
  'file-too-large': { limit: { fileBytes: whole.length - 1 }, files: [() => whole] },
  'unpacked-too-large': { limit: { unpackedBytes: 50_000 }, files: [() => rows(row.repeat(1000))] },
  'too-many-parts': { limit: { parts: 4 }, files: [() => whole] },
  'too-many-sheets': { limit: { sheets: 1 }, files: [() => handMade({ sheets: [row, row] })] },
  'too-many-rows': { limit: { rows: 10 }, files: [() => rows(row.repeat(11))] },
  'too-many-cells': {
    limit: { cells: 10 },
    files: [() => handMade({ sheets: [row.repeat(6), row.repeat(5)] })]
  },
  'text-too-long': {
    limit: { cellCharacters: 100 },
    files: [
      () => shared(`<si><t>${long}</t></si>`),
      // In pieces.
      () => shared(`<si>${`<r><t>${secret}</t></r>`.repeat(10)}</si>`),
      () => rows(row.replace(secret, long)),
      // A result and a formula.
      () => rows(`<row><c><v>${long}</v></c></row>`),
      () => rows(`<row><c><f>${long}</f></c></row>`)
    ]
  },
  'too-much-text': {
    limit: { characters: 100 },
    files: [
      () => shared(`<si><t>${secret}</t></si>`.repeat(8)),
      () => shared('<si/>'.repeat(101)),
      () => rows(row.repeat(8)),
      // Each cell counts.
      () =>
        handMade({
          sheets: ['<row><c t="s"><v>0</v></c></row>'.repeat(8)],
          strings: stringsXml(`<si><t>${secret}</t></si>`)
        })
    ]
  }
}

for (const [code, { limit, files }] of Object.entries(beyond))
  t.test(`a file beyond a limit is rejected as ${code}, with the limit`, async (t) => {
    const [value = 0] = Object.values(limit)
    for (const [at, file] of files.entries()) {
      const refusal = await refusalOf(readHere(file(), limit))
      t.same([refusal.code, refusal.limit], [code, value], `file ${at}`)
      t.match(workbookProblem(refusal).detail.en, value.toLocaleString('en-US'), `file ${at}`)
    }
  })

t.test('empty rows and cells are not counted', async (t) => {
  const empty = handMade({
    sheets: [`${'<row s="1"><c s="1"/><c s="1"/></row>'.repeat(50_000)}${row}`]
  })
  t.same(rowSentences(await readHere(empty, { rows: 1, cells: 1 })), [`50001 | 1:t"${secret}"`])
})

t.test('a workbook with a changed byte is read, or rejected with a documented error', async (t) => {
  const file = sampleFile('libreoffice.xlsx')
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

/** A workbook whose zip directory has another size for its sheet. */
const lied = (size: number) => handMade({ sheets: [{ xml: withDeclaredSize(sheet, size) }] })

/**
 * The compressed content of the first part is changed. The name of the part precedes the content.
 */
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
