import ExcelJS from 'exceljs'
import t from 'tap'
import { openArchive } from '../../../src/xlsx/archive.js'
import type { Workbook } from '../../../src/xlsx/cells.js'
import { usualLimits } from '../../../src/xlsx/limits.js'
import { mark } from '../../../src/xlsx/mark.js'
import type { Mark } from '../../../src/xlsx/marks.js'
import { createWorkbooks } from '../../../src/xlsx/workbook.js'
import { readHere, refusalOf, sample, sentences } from '../../fixtures/excel/reading.js'
import { handMade, sheetXml, stylesXml } from '../../fixtures/excel/workbook.js'

const workbooks = createWorkbooks({ milliseconds: 60_000 })
const red = 'FFFFC7CD'
const all = 'A1:XFD1048576'

/** Marks in this process, which is quicker than in one of its own. */
const markHere = async (file: Buffer, marks: readonly Mark[], isAnew = false) =>
  Buffer.from(await mark(file, marks, { ...usualLimits }, isAnew))

const textOf = (note: ExcelJS.Cell['note']) =>
  typeof note === 'object' ? (note.texts ?? []).map(({ text }) => text).join('') : note

/** A workbook as another program sees it: its marks, other comments, widths, merged cells and drop-down lists. */
async function seen(file: Buffer) {
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(file as unknown as ArrayBuffer & Buffer, { ignoreNodes: ['dataValidations'] })
  const marks: string[] = []
  const notes: string[] = []
  for (const sheet of book.worksheets)
    sheet.eachRow({ includeEmpty: true }, (row) =>
      row.eachCell({ includeEmpty: true }, (cell) => {
        const isRed = cell.fill?.type === 'pattern' && cell.fill.fgColor?.argb === red
        const note = `${sheet.name} ${cell.address} ${textOf(cell.note)}`
        if (isRed && !(cell.isMerged && cell.master !== cell)) marks.push(note)
        else if (cell.note && !isRed) notes.push(note)
      })
    )
  return { book, marks, notes }
}
const contents = (workbook: Workbook) =>
  workbook.sheets.map((sheet, at) => [sheet.name, sheet.isHidden, sentences(workbook, at)])

const marks: Mark[] = [
  { sheet: 'Devices', cell: 'B2', text: 'Not a code.' },
  { sheet: 'Devices', cell: 'B2', text: 'Too short.' },
  { sheet: 'Devices', cell: 'C9', text: 'Is missing.' },
  { sheet: 'Title', cell: 'B1', text: 'In merged cells.' },
  { sheet: 'Hidden', cell: 'A1', text: 'Unseen.' },
  { sheet: 'Nowhere', cell: 'A1', text: 'There is no such sheet.' },
  { sheet: 'Title', cell: 'A0', text: 'There is no such cell.' },
  { sheet: 'Title', cell: 'ZZZZ9', text: 'There is no such cell.' }
]
const expected = [
  'Title A1 In merged cells.',
  'Devices B2 Not a code.\nToo short.',
  'Devices C9 Is missing.',
  'Hidden A1 Unseen.'
]

t.test('faulty cells are marked, and the rest of a workbook stays', async (t) => {
  const lists = { 'openpyxl.xlsx': 'G2:G1048576', 'exceljs.xlsx': 'G2', 'libreoffice.xlsx': 'G2:G1039' }
  for (const file of ['openpyxl', 'excel-writer', 'exceljs', 'libreoffice', 'gnumeric'].map(
    (name) => `${name}.xlsx`
  )) {
    const before = sample(file)
    const after = await markHere(before, marks)
    t.same(contents(await readHere(after)), contents(await readHere(before)), file)
    const { book, marks: found, notes } = await seen(after)
    t.same(found, expected, file)
    t.same(notes, file === 'exceljs.xlsx' ? ['Devices A4 from a colleague'] : [], file)
    t.equal(
      Math.round(book.getWorksheet('Devices')?.getColumn(1).width ?? 0),
      file.startsWith('excel-') ? 31 : 30,
      file
    )
    t.equal(book.getWorksheet('Title')?.getCell('D1').master.address, 'A1', file)
    t.equal(book.getWorksheet('Devices')?.getCell('B2').numFmt, '00000', file)
    if (file in lists)
      t.match(await sheetText(after, 2), `sqref="${lists[file as keyof typeof lists]}"`, file)
  }
})

t.test('texts come back as they were, wherever they stand in the file', async (t) => {
  const emoji = ['x', ''].map((start) => start + '😀'.repeat(10_000))
  const texts = [...emoji, '_x005F_x0041_', 'a_x000D_b', 'a_x0001__x005F_x0007_']
  const strings = [...texts.map((text) => `<t>${text}</t>`), '<r><t>b</t></r><r><t>_x005F_x0041_</t></r>']
  const rows = strings.map((_, at) => `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>${at}</v></c></row>`)
  const before = handMade({
    sheets: [rows.join('')],
    strings: `<sst>${strings.map((string) => `<si>${string}</si>`).join('')}</sst>`
  })
  for (const isAnew of [false, true]) {
    const after = await markHere(before, [{ sheet: 'Sheet1', cell: 'A1', text: '😀'.repeat(300) }], isAnew)
    const [found, wanted] = [contents(await readHere(after)), contents(await readHere(before))].map(String)
    t.ok(found === wanted, isAnew ? 'written anew' : 'kept')
    t.same((await seen(after)).marks, [`Sheet1 A1 ${'😀'.repeat(300)}`])
  }
})

t.test('a workbook with macros comes back without them', async (t) => {
  const after = await workbooks.mark(sample('macros.xlsm'), marks)
  t.same((await seen(after)).marks, expected)
  t.notOk(after.includes('vbaProject'))
})

t.test('marks of an earlier time are taken away', async (t) => {
  const first = await markHere(sample('libreoffice.xlsx'), marks)
  const again = await markHere(first, [{ sheet: 'Devices', cell: 'D2', text: 'Another.' }])
  const { marks: found, notes } = await seen(again)
  t.same(found, ['Devices D2 Another.'])
  t.same(notes, [])
})

/** Another program than Excel could have written these, or nobody. */
const prefixed = sheetXml(
  '<row><c r="B1" s="1"><v>123</v></c><c t="inlineStr"><is><t>00123</t></is></c></row>'
)
  .replace('<sheetData>', '<cols><col min="2" max="3" width="33"/></cols><sheetData>')
  .replace(/<(\/?)(\w)/g, '<$1x:$2')
  .replace('xmlns=', 'xmlns:x=')
  .replace('<x:xml', '<xml')

t.test('what exceljs does not understand is written anew', async (t) => {
  const file = handMade({ sheets: [{ xml: prefixed }], styles: stylesXml(['00000']) })
  const after = await markHere(file, [{ sheet: 'Sheet1', cell: 'A1', text: 'Is missing.' }])
  t.same(contents(await readHere(after)), [['Sheet1', false, ['1 | 2:n00123 3:t"00123"']]])
  const { book, marks: found } = await seen(after)
  t.same(found, ['Sheet1 A1 Is missing.'])
  t.equal(book.worksheets[0]?.getColumn(3).width, 33)
})

t.test('a sheet that exceljs does not find is not lost', async (t) => {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const related = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const targets = related('r0', 'worksheet', 'worksheets/data.xml') + related('r1', 'styles', 'styles.xml')
  const file = handMade({
    sheets: [''],
    styles: stylesXml(['0.00']),
    parts: {
      'xl/worksheets/data.xml': sheetXml('<row r="1"><c r="A1"><v>1</v></c></row>'),
      'xl/_rels/workbook.xml.rels': `<Relationships>${targets}</Relationships>`
    }
  })
  t.same(contents(await readHere(await markHere(file, []))), [['Sheet1', false, ['1 | 1:n1']]])
})

t.test('cells of the same format as a marked one are not coloured', async (t) => {
  const rows = '<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1" s="1"><v>2</v></c></row>'
  const file = handMade({ sheets: [rows], styles: stylesXml(['0.00']) })
  const { book, marks: found } = await seen(
    await markHere(file, [{ sheet: 'Sheet1', cell: 'A1', text: 'Here.' }])
  )
  t.same(found, ['Sheet1 A1 Here.'])
  t.equal(book.worksheets[0]?.getCell('A1').numFmt, '0.00', 'it is not written anew')
})

t.test('what is written anew has every kind of cell', async (t) => {
  const result = (sentence: string) => sentence.replaceAll('=', '')
  for (const file of ['openpyxl.xlsx', 'libreoffice.xlsx', 'exceljs.xlsx']) {
    const before = await readHere(sample(file))
    const after = await markHere(sample(file), marks, true)
    t.same(
      contents(await readHere(after)),
      contents(before).map(([name, isHidden, rows]) => [name, isHidden, (rows as string[]).map(result)]),
      file
    )
    const { book, marks: found } = await seen(after)
    t.ok(found.includes('Devices B2 Not a code.\nToo short.'), file)
    t.equal(book.getWorksheet('Devices')?.getColumn(1).width, 30, file)
  }
  const times = handMade({
    sheets: ['<row><c s="1"><v>0.5</v></c><c s="1"><v>46347.5</v></c><c s="2"><v>-7</v></c></row>'],
    styles: stylesXml(['hh:mm', '000'])
  })
  const kept = ['1 | 1:d12:00:00 2:d2026-11-21T12:00:00 3:n-007']
  t.same(sentences(await readHere(await markHere(times, [], true))), kept)
})

t.test('sheets get names that programs take', async (t) => {
  const names = ['History', 'a/b:c', 'x'.repeat(60), 'x'.repeat(60), '', 'A B C']
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`)
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const file = handMade({
    sheets: names.map((_, at) => `<row><c><v>${at}</v></c></row>`),
    parts: { 'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>` }
  })
  const after = await markHere(file, [{ sheet: 'a/b:c', cell: 'A1', text: 'Here.' }], true)
  t.same(
    (await readHere(after)).sheets.map(({ name }) => name),
    ['Sheet 1', 'a b c', 'x'.repeat(31), 'Sheet 4', 'Sheet 5', 'Sheet 6']
  )
  t.same((await seen(after)).marks, ['a b c A1 Here.'])
})

t.test('drop-down lists whose choices are on another sheet stay', async (t) => {
  const extension = `<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:y="urn:y"><y:dataValidations xmlns:z="urn:z">
    <y:dataValidation type="list"><y:formula1><z:f>Codes!$A$2:$A$9</z:f></y:formula1><z:sqref>B2:B99 D2:D99</z:sqref></y:dataValidation>
    <y:dataValidation type="whole"><y:formula1><z:f>1</z:f></y:formula1><z:sqref>C2:C99</z:sqref></y:dataValidation>
    </y:dataValidations></ext></extLst>`
  const file = handMade({ sheets: [{ xml: sheetXml('<row><c><v>1</v></c></row>', extension) }] })
  const text = await sheetText(await markHere(file, []), 1)
  for (const range of ['B2:B99', 'D2:D99'])
    t.match(
      text,
      new RegExp(`<dataValidation type="list"[^>]* sqref="${range}"><formula1>Codes!\\$A\\$2:\\$A\\$9<`)
    )
  t.notMatch(text, 'C2:C99')
})

t.test('so many marks, and texts so long', async (t) => {
  const many = Array.from({ length: 1_100 }, (_, at) => ({
    sheet: 'Devices',
    cell: `A${at + 50}`,
    text: 'x'
  }))
  const { marks: found } = await seen(await markHere(sample('exceljs.xlsx'), many))
  t.equal(found.length, 1_000)
  const long = [{ sheet: 'Devices', cell: 'A2', text: 'x'.repeat(50_000) }]
  const [one = ''] = (await seen(await markHere(sample('exceljs.xlsx'), long))).marks
  t.equal(one, `Devices A2 ${'x'.repeat(1_000)}`)
})

t.test('merged cells and lists over the whole sheet do no harm', async (t) => {
  const after = `<mergeCells><mergeCell ref="${all}"/><mergeCell ref="A1:B2"/><mergeCell ref="B2:C3"/></mergeCells>
    <conditionalFormatting sqref="${all}"><cfRule type="expression" priority="1"><formula>1</formula></cfRule></conditionalFormatting>
    <dataValidations><dataValidation type="list" sqref="${all}"><formula1>"a,b"</formula1></dataValidation></dataValidations>`
  const file = handMade({
    sheets: [{ xml: sheetXml('<row r="1"><c r="A1" s="1"><v>1</v></c></row>', after) }],
    styles: stylesXml(['0.00'])
  })
  const marked = await workbooks.mark(file, [{ sheet: 'Sheet1', cell: 'A1', text: 'Here.' }])
  const { book, marks: found } = await seen(marked)
  t.same(found, ['Sheet1 A1 Here.'])
  t.equal(book.worksheets[0]?.getCell('A1').numFmt, '0.00', 'it is not written anew')
  t.match(await sheetText(marked, 1), /<mergeCells count="1"><mergeCell ref="A1:B2"/)
})

t.test('what is too much for exceljs is written anew by another process', async (t) => {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const names = `<definedNames><definedName name="all">Sheet1!$A$1:$XFD$1048576</definedName></definedNames>`
  const file = handMade({
    sheets: ['<row r="1"><c r="A1"><v>1</v></c></row>'],
    parts: {
      'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="Sheet1" sheetId="1" r:id="r0"/></sheets>${names}</workbook>`
    }
  })
  const capped = createWorkbooks({ milliseconds: 60_000, heapMegabytes: 96 })
  const marked = await capped.mark(file, [{ sheet: 'Sheet1', cell: 'A1', text: 'Here.' }])
  t.same((await seen(marked)).marks, ['Sheet1 A1 Here.'])
})

t.test('what is not read is not marked', async (t) => {
  const refusals = [
    [sample('other.ods'), 'is-ods'],
    [sample('openpyxl.xlsx').subarray(0, 3000), 'damaged']
  ] as const
  for (const [file, code] of refusals) t.equal((await refusalOf(workbooks.mark(file, marks))).code, code)
  const rows = `<row>${'<c><v>1</v></c>'.repeat(200)}</row>`.repeat(1_001)
  t.equal((await refusalOf(markHere(handMade({ sheets: [rows] }), []))).code, 'too-many-cells')
})

async function sheetText(file: Buffer, sheet: number): Promise<string> {
  const pieces: Buffer[] = []
  const archive = await openArchive(file, usualLimits)
  for await (const piece of archive.open(`xl/worksheets/sheet${sheet}.xml`)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
