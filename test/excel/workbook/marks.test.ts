import t from 'tap'
import type { MarkedFault } from '../../../src/xlsx/marking/fault-sheet.js'
import { edited } from '../../fixtures/excel/edit.js'
import { contents, markAt, markedContents, markHere, seen } from '../../fixtures/excel/marks.js'
import { readHere, refusalOf, sampleFile, sheetPart } from '../../fixtures/excel/reading.js'
import { handMade, sheetXml, stylesXml } from '../../fixtures/excel/workbook.js'

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const marks: MarkedFault[] = [
  markAt('Devices', 'B2', 'Not a code.'),
  markAt('Devices', 'B2', 'Too short.'),
  markAt('Devices', 'C9', 'Is missing.'),
  markAt('Title', 'B1', 'In merged cells.'),
  markAt('Hidden', 'A1', 'Unseen.'),
  markAt('Devices', null, 'Of the whole sheet.'),
  markAt('Nowhere', 'A1', 'There is no such sheet.'),
  markAt('Title', 'A0', 'There is no such cell.'),
  markAt('Title', 'ZZZZ9', 'There is no such cell.')
]
const expected = [
  'Title B1 In merged cells.',
  'Devices B2 Not a code.\nToo short.',
  'Devices C9 Is missing.',
  'Hidden A1 Unseen.'
]
const expectedList = [
  "Devices | B2 | 'Devices'!B2 | Not a code.",
  "Devices | B2 | 'Devices'!B2 | Too short.",
  "Devices | C9 | 'Devices'!C9 | Is missing.",
  "Title | B1 | 'Title'!B1 | In merged cells.",
  "Hidden | A1 | 'Hidden'!A1 | Unseen.",
  "Devices | whole | 'Devices'!A1 | Of the whole sheet.",
  'Nowhere | A1 |  | There is no such sheet.',
  'Title | A0 |  | There is no such cell.',
  'Title | ZZZZ9 |  | There is no such cell.'
]

/** The copied content of a cell: the result of its formula or, without a result, an error. */
const remaining = (row: string) => row.replaceAll('=', '').replace(/(\d+):f\S*/g, '$1:e#N/A')

t.test('faults are marked and listed, and values keep their types', async (t) => {
  for (const name of ['openpyxl', 'libreoffice', 'gnumeric']) {
    const file = `${name}.xlsx`
    const before = sampleFile(file)
    const after = await markHere(before, marks)
    const values = contents(await readHere(before)).map(([name, isHidden, rows]) => [
      ...[name, isHidden],
      (rows as string[]).map(remaining)
    ])
    t.same(await markedContents(after), values, file)
    const { book, marks: found, notes, list } = await seen(after)
    t.equal(book.worksheets[0]?.name, 'Faults', file)
    t.same(list, expectedList, file)
    t.same(found, expected, file)
    t.same(notes, [], file)
  }
})

t.test('dates, times and leading zeros stay', async (t) => {
  const file = handMade({
    sheets: [
      '<row><c s="1"><v>0.5</v></c><c s="1"><v>46347.5</v></c><c s="2"><v>-7</v></c><c s="3"><v>7</v></c></row>'
    ],
    styles: stylesXml(['hh:mm', '000', '&quot;HMI-&quot;000'])
  })
  const kept = ['1 | 1:d12:00 2:d12:00 3:n-007 4:xHMI-007']
  t.same(await markedContents(await markHere(file, [])), [['Sheet1', false, kept]])
})

t.test('a text that looks like a formula stays a text, and formulas are left out', async (t) => {
  const formula = '=HYPERLINK("https://example.com/?"&A1)'
  const text = `<c t="inlineStr"><is><t>${formula.replaceAll('&', '&amp;')}</t></is></c>`
  const file = handMade({ sheets: [`<row>${text}<c><f>1+2</f></c><c><f>1+2</f><v>3</v></c></row>`] })
  const fault: MarkedFault = {
    sheet: 'Sheet1',
    cell: 'A1',
    column: formula,
    found: formula,
    message: formula
  }
  const after = await markHere(file, [fault], formula)
  const { book, marks: found } = await seen(after)
  t.same(found, [`Sheet1 A1 ${formula}`])
  t.same(
    [...'CDE'].map((letter) => book.worksheets[0]?.getCell(`${letter}2`).value),
    [formula, formula, formula]
  )
  t.equal(book.worksheets[0]?.getCell('A3').value, formula)
  const cell = book.worksheets[1]?.getCell('A1')
  t.equal(cell?.value, formula)
  t.equal(cell?.numFmt, '@', 'it stays a text when it is edited')
  t.same((await markedContents(after))[0]?.[2], [`1 | 1:t${JSON.stringify(formula)} 2:e#N/A 3:n3`])
  for (const sheet of [1, 2]) t.notMatch(await sheetPart(after, sheet), /<f[ >]/)
})

t.test('texts are copied unchanged, from shared strings too', async (t) => {
  const emoji = ['x', ''].map((start) => start + '😀'.repeat(10_000))
  const texts = [...emoji, '_x005F_x0041_', 'a_x000D_b', 'a_x0001__x005F_x0007_']
  const strings = [...texts.map((text) => `<t>${text}</t>`), '<r><t>b</t></r><r><t>_x005F_x0041_</t></r>']
  const rows = strings.map((_, at) => `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>${at}</v></c></row>`)
  const before = handMade({
    sheets: [rows.join('')],
    strings: `<sst>${strings.map((string) => `<si>${string}</si>`).join('')}</sst>`
  })
  const after = await markHere(before, [markAt('Sheet1', 'A1', '😀'.repeat(300))])
  const [found, wanted] = [await markedContents(after), contents(await readHere(before))].map(String)
  t.ok(found === wanted)
  t.same((await seen(after)).marks, [`Sheet1 A1 ${'😀'.repeat(300)}`])
})

t.test('only values are copied: no macros, and no earlier marks or comments', async (t) => {
  const macros = await markHere(sampleFile('macros.xlsm'), marks)
  t.same((await seen(macros)).marks, expected)
  t.notOk(macros.includes('vbaProject'))
  const commented = await edited(sampleFile('libreoffice.xlsx'), (book) => {
    Object.assign(book.getWorksheet('Devices')?.getCell('B2') ?? {}, { note: 'Of a user.' })
  })
  for (const before of [macros, commented]) {
    const again = await markHere(before, [markAt('Devices', 'D2', 'Another.')])
    const { book, marks: found, notes, list } = await seen(again)
    t.same(found, ['Devices D2 Another.'])
    t.same(notes, [])
    t.same(list, ["Devices | D2 | 'Devices'!D2 | Another."])
    t.same(
      book.worksheets.map(({ name }) => name),
      ['Faults', 'Title', 'Devices', 'Hidden'],
      'an earlier list is left out'
    )
  }
})

t.test('sheets in unusual places and with prefixes are copied', async (t) => {
  const related = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const targets = related('r0', 'worksheet', 'worksheets/data.xml') + related('r1', 'styles', 'styles.xml')
  const prefixed = sheetXml(
    '<row><c r="B1" s="1"><v>123</v></c><c t="inlineStr"><is><t>00123</t></is></c></row>'
  )
    .replace(/<(\/?)(\w)/g, '<$1x:$2')
    .replace('xmlns=', 'xmlns:x=')
    .replace('<x:xml', '<xml')
  const file = handMade({
    sheets: [''],
    styles: stylesXml(['00000']),
    parts: {
      'xl/worksheets/data.xml': prefixed,
      'xl/_rels/workbook.xml.rels': `<Relationships>${targets}</Relationships>`
    }
  })
  const after = await markHere(file, [markAt('Sheet1', 'A1', 'Is missing.')])
  t.same(await markedContents(after), [['Sheet1', false, ['1 | 2:n00123 3:t"00123"']]])
  t.same((await seen(after)).marks, ['Sheet1 A1 Is missing.'])
})

t.test('sheets get valid and unique names', async (t) => {
  const [long, cut] = ['x'.repeat(60), `${'y'.repeat(30)}😀`]
  const names = ['History', 'a/b:c', long, long, '', 'A B C', 'faults', "it's", 'Sheet 9', '', 'a!b', cut]
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`)
  const file = handMade({
    sheets: names.map((_, at) => `<row><c><v>${at}</v></c></row>`),
    parts: { 'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>` }
  })
  const after = await markHere(file, [markAt('a/b:c', 'A1', 'Here.'), markAt("it's", 'A1', 'There.')])
  t.same(
    (await readHere(after)).sheets.map(({ name }) => name),
    [
      ...['Faults', 'Sheet 1', 'a b c', 'x'.repeat(31), 'Sheet 4', 'Sheet 5', 'Sheet 6', 'Sheet 7'],
      ...["it's", 'Sheet 9', 'Sheet 10', 'a b', `${'y'.repeat(30)}\ufffd`]
    ]
  )
  const { marks: found, list: faults } = await seen(after)
  t.same(found, ['a b c A1 Here.', "it's A1 There."])
  t.same(faults, ["a/b:c | A1 | 'a b c'!A1 | Here.", "it's | A1 | 'it''s'!A1 | There."])
})

t.test('faults and their texts are bounded', async (t) => {
  const many = Array.from({ length: 1_100 }, (_, at) => markAt('Devices', `A${at + 50}`, 'x'))
  const { marks: found, list } = await seen(await markHere(sampleFile('libreoffice.xlsx'), many, 'Of 1,100.'))
  t.equal(found.length, 1_000)
  t.equal(list.length, 1_001)
  t.match(list.at(-1), 'Of 1,100.')
  const long = { ...markAt('Devices', 'A2', 'x'.repeat(50_000)), found: '\u0001'.repeat(50_000) }
  const { marks: one, book } = await seen(await markHere(sampleFile('libreoffice.xlsx'), [long]))
  t.same(one, [`Devices A2 ${'x'.repeat(1_000)}`])
  t.equal(book.worksheets[0]?.getCell('E2').text, 'x'.repeat(1_000))
})

t.test('a workbook that cannot be read is not marked', async (t) => {
  const half = sampleFile('openpyxl.xlsx').subarray(0, 3000)
  t.equal((await refusalOf(markHere(half, marks))).code, 'damaged')
})

t.test('lists the faults of a workbook of more than 200,000 cells without its sheets', async (t) => {
  const row = `<row>${'<c><v>1</v></c>'.repeat(200)}</row>`
  const mark = markAt('Sheet1', 'A7', 'Not a code.')
  const markedOf = async (rows: number) =>
    seen(await markHere(handMade({ sheets: [row.repeat(rows)] }), [mark]))
  const copied = await markedOf(1_000)
  t.same(copied.marks, ['Sheet1 A7 Not a code.'])
  t.same(copied.list, ["Sheet1 | A7 | 'Sheet1'!A7 | Not a code."])
  const listed = await markedOf(1_001)
  t.same(listed.list, ['Sheet1 | A7 |  | Not a code.', 'Too large. |  |  | '])
  t.equal(listed.book.worksheets.length, 1)
})
