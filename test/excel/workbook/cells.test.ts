import t from 'tap'
import { numberFormats } from '../../fixtures/excel/number-formats.js'
import { readHere, rowSentences } from '../../fixtures/excel/reading.js'
import { handMade, stringsXml, stylesXml } from '../../fixtures/excel/workbook.js'

const strings = stringsXml(
  `<si><t>plain</t></si><si><r><rPr><b/></rPr><t>rich </t></r><r><t xml:space="preserve">text </t></r></si>
   <si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si><si><t/></si><si><t>a_x000D_b_x005F_</t></si>`
)
/** Style 1 shows five digits, and 2 a date. */
const styles = stylesXml(['00000', 'dd/mm/yyyy'])

const cells: [what: string, cell: string, read: string][] = [
  ['a shared text', '<c t="s"><v>0</v></c>', ' 1:t"plain"'],
  ['rich text', '<c t="s"><v>1</v></c>', ' 1:t"rich text "'],
  ['a text without how it is spoken', '<c t="s"><v>2</v></c>', ' 1:t"東京"'],
  ['characters that XML cannot hold', '<c t="s"><v>4</v></c>', ' 1:t"a\\rb_"'],
  ['an own text', '<c t="inlineStr"><is><t>own</t></is></c>', ' 1:t"own"'],
  ['own rich text', '<c t="inlineStr"><is><r><t>o</t></r><r><t>wn</t></r></is></c>', ' 1:t"own"'],
  ['a text in CDATA', '<c t="inlineStr"><is><t><![CDATA[<b>]]></t></is></c>', ' 1:t"<b>"'],
  ['a text that is a number', '<c t="inlineStr"><is><t>00123</t></is></c>', ' 1:t"00123"'],
  ['a number', '<c><v>123</v></c>', ' 1:n123'],
  ['a small number', '<c t="n"><v>1.5E-3</v></c>', ' 1:n0.0015'],
  ['a number shown with zeros', '<c s="1"><v>123</v></c>', ' 1:n00123'],
  ['a negative one', '<c s="1"><v>-123</v></c>', ' 1:n-00123'],
  ['a date', '<c s="2"><v>46347</v></c>', ' 1:d21/11/2026'],
  ['a day before the one that never was', '<c s="2"><v>59</v></c>', ' 1:d28/02/1900'],
  ['the day after it', '<c s="2"><v>61</v></c>', ' 1:d01/03/1900'],
  ['a date in words of ISO 8601', '<c t="d"><v>2026-11-21T10:15:00</v></c>', ' 1:d2026-11-21 10:15:00'],
  ['a date that is none', '<c t="d"><v>2026-13-21</v></c>', ' 1:t"2026-13-21"'],
  ['a number too large for its date', '<c s="2"><v>5701234567890</v></c>', ' 1:x5.70123E+12'],
  ['a style that does not exist', '<c s="99999999"><v>1</v></c>', ' 1:n1'],
  ['a style that is no number', '<c s="-x"><v>1</v></c>', ' 1:n1'],
  ['true', '<c t="b"><v>1</v></c>', ' 1:bTRUE'],
  ['false', '<c t="b"><v>0</v></c>', ' 1:bFALSE'],
  ['an error', '<c t="e"><v>#DIV/0!</v></c>', ' 1:e#DIV/0!'],
  ['a result', '<c><f>1+2</f><v>3</v></c>', ' 1:n3'],
  ['a result that is a text', '<c t="str"><f>A1&amp;"b"</f><v>ab</v></c>', ' 1:t"ab"'],
  ['a result of a shared formula', '<c><f t="shared" si="0"/><v>3</v></c>', ' 1:n3'],
  ['a formula without result', '<c><f>1+2</f></c>', ' 1:f1+2'],
  ['a formula with no characters as its result', '<c><f>1+2</f><v></v></c>', ' 1:f1+2'],
  ['a reference', '<c r="C1"><v>1</v></c>', ' 3:n1'],
  ['cells after one with a reference', '<c r="C1"><v>1</v></c><c><v>2</v></c>', ' 3:n1 4:n2'],
  ['an empty cell between', '<c><v>1</v></c><c s="1"/><c><v>2</v></c>', ' 1:n1 3:n2'],
  ['the last column that is read', '<c r="GR1"><v>1</v></c>', ' 200:n1'],
  ['what belongs to others', '<c><x:v xmlns:x="urn:x">9</x:v><v>1</v></c>', ' 1:n1']
]
/** Empty cells, whose row is therefore empty too. */
const empty: [what: string, cell: string][] = [
  ['no value', '<c s="1"/>'],
  ['a value without characters', '<c><v/></c>'],
  ['an empty shared text', '<c t="s"><v>3</v></c>'],
  ['an empty text', '<c t="inlineStr"><is><t/></is></c>'],
  ['a formula that makes an empty text', '<c t="str"><f>""</f><v></v></c>']
]

const read = (rows: string) => readHere(handMade({ sheets: [rows], strings, styles })).then(rowSentences)

t.test('each kind of cell', async (t) => {
  for (const [what, cell, expected] of cells)
    t.same(await read(`<row>${cell}</row>`), [`1 |${expected}`], what)
  for (const [what, cell] of empty) t.same(await read(`<row>${cell}</row>`), [], what)
})

/** Formats that a file refers to only by an id. */
const builtIn: [id: number, value: string, read: string][] = [
  [0, '5', 'n5'],
  [1, '5', 'n5'],
  [2, '5', 'x5.00'],
  [3, '1234', 'n1234'],
  [9, '0.5', 'x50%'],
  [14, '46347', 'd2026-11-21'],
  [22, '46347.5', 'd2026-11-21 12:00'],
  [37, '1234', 'x1,234'],
  [44, '1234', 'x$1,234.00'],
  [46, '1.5', 'x36:00:00'],
  [49, '5', 'n5'],
  [57, '46347', 'd2026-11-21'],
  [163, '5', 'n5']
]

t.test('a number is read only with a format that shows its digits', async (t) => {
  const sheets = [...numberFormats, ...builtIn].map(
    ([, value], at) => `<row><c s="${at + 1}"><v>${value}</v></c></row>`
  )
  const styles = stylesXml(numberFormats.map(([code]) => code)).replace(
    '</cellXfs>',
    `${builtIn.map(([id]) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`
  )
  const workbook = await readHere(handMade({ sheets, styles }))
  for (const [at, [format, value, read]] of [...numberFormats, ...builtIn].entries())
    t.same(rowSentences(workbook, at), [`1 | 1:${read}`], `${value} as ${format}`)
})

t.test('rows without numbers are counted', async (t) => {
  const cell = '<c><v>1</v></c>'
  const rows = `<row>${cell}</row><row/><row>${cell}</row><row r="9">${cell}</row><row>${cell}</row><row r="1048576">${cell}</row>`
  t.same(
    await read(rows),
    [1, 3, 9, 10, 1_048_576].map((row) => `${row} | 1:n1`)
  )
})

t.test('dates that are counted from 1904', async (t) => {
  const rows = '<row><c s="2"><v>44885</v></c><c s="2"><v>0.5</v></c></row>'
  const file = handMade({ sheets: [rows], styles, properties: '<workbookPr date1904="1"/>' })
  t.same(rowSentences(await readHere(file)), ['1 | 1:d21/11/2026 2:d00/01/1900'])
})

t.test('reports cells to the right of the columns that are read', async (t) => {
  const cell = '<c r="GS2"><v>1</v></c><c r="XFD2"><v>1</v></c>'
  const file = handMade({ sheets: ['<row><c r="GS1" s="1"/></row>', `<row/><row>${cell}</row>`] })
  const { sheets } = await readHere(file)
  t.same(
    sheets.map(({ beyond, rows }) => [beyond, rows.length]),
    [
      [undefined, 0],
      ['GS2', 0]
    ]
  )
})

t.test('sheets keep their order and their state', async (t) => {
  const cell = (value: number) => `<row><c><v>${value}</v></c></row>`
  const attributes = ['', 'state="hidden"', 'state="veryHidden"', 'state="visible"']
  const workbook = await readHere(handMade({ sheets: [1, 2, 3, 4].map(cell), attributes }))
  t.same(
    workbook.sheets.map(({ isHidden }) => isHidden),
    [false, true, true, false]
  )
  t.same(
    workbook.sheets.map((_, at) => rowSentences(workbook, at)),
    [['1 | 1:n1'], ['1 | 1:n2'], ['1 | 1:n3'], ['1 | 1:n4']]
  )
})

t.test('elements may have a prefix, and the strict form is read too', async (t) => {
  const main = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
  const office = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
  const related = 'http://schemas.openxmlformats.org/package/2006/relationships'
  const file = handMade({
    sheets: [
      {
        xml: `<x:worksheet xmlns:x="${main}"><x:sheetData><x:row r="2"><x:c r="B2" t="inlineStr"><x:is><x:t>here</x:t><y:t xmlns:y="urn:y">not here</y:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`
      }
    ],
    parts: {
      '_rels/.rels': `<p:Relationships xmlns:p="${related}"><p:Relationship Id="a" Type="${office}/officeDocument" Target="/book/Main.XML"/></p:Relationships>`,
      'book/main.xml': `<x:workbook xmlns:x="${main}" xmlns:q="${office}"><x:sheets><x:sheet name="S" sheetId="1" q:id="one"/><x:sheet name="C" sheetId="2" q:id="two"/></x:sheets></x:workbook>`,
      'book/_rels/main.xml.rels': `<Relationships xmlns="${related}"><Relationship Id="one" Type="${office}/worksheet" Target="../xl/worksheets/sheet1.xml"/><Relationship Id="two" Type="${office}/chartsheet" Target="nowhere.xml"/></Relationships>`
    }
  })
  const workbook = await readHere(file)
  t.same(rowSentences(workbook), ['2 | 2:t"here"'])
  t.equal(workbook.sheets.length, 1, 'a chart is no sheet of cells')
})

t.test('rows that are split over many chunks and batches stay whole', async (t) => {
  const row = (at: number) =>
    `<row r="${at}">${Array.from({ length: 50 }, (_, column) => `<c t="inlineStr"><is><t>r${at}c${column + 1}</t></is></c>`).join('')}</row>`
  const file = handMade({ sheets: [Array.from({ length: 1000 }, (_, at) => row(at + 1)).join('')] })
  const { sheets } = await readHere(file)
  const rows = [...(sheets[0]?.rows ?? [])]
  t.equal(rows.length, 1000)
  t.equal(sheets[0]?.rows.length, 1000)
  const wrong = rows.filter(
    (row, at) =>
      row.number !== at + 1 ||
      row.cells.length !== 50 ||
      row.cells.some(({ column, text }, next) => column !== next + 1 || text !== `r${at + 1}c${column}`)
  )
  t.same(wrong, [])
})
