import t from 'tap'
import { createWorkbooks } from '../../../src/xlsx/workbook.js'
import { faultListOf, markAt, markedContents, seen } from '../../fixtures/excel/marks.js'
import { readHere } from '../../fixtures/excel/reading.js'
import { handMade, sheetXml } from '../../fixtures/excel/workbook.js'

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

t.test('ranges over a whole sheet are marked within 96 MB', async (t) => {
  const all = 'A1:XFD1048576'
  const after = `<mergeCells><mergeCell ref="${all}"/></mergeCells>
    <conditionalFormatting sqref="${all}"><cfRule type="expression" priority="1"><formula>1</formula></cfRule></conditionalFormatting>
    <dataValidations><dataValidation type="list" sqref="${all}"><formula1>"a,b"</formula1></dataValidation></dataValidations>`
  const names = '<definedNames><definedName name="all">Sheet1!$A$1:$XFD$1048576</definedName></definedNames>'
  const list = '<sheets><sheet name="Sheet1" sheetId="1" r:id="r0"/></sheets>'
  const rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="GR1048576"><v>2</v></c></row>'
  const file = handMade({
    sheets: [{ xml: sheetXml(rows, after) }],
    parts: { 'xl/workbook.xml': `<workbook xmlns:r="${office}">${list}${names}</workbook>` }
  })
  const workbooks = createWorkbooks({ timeoutMs: 600_000, heapMegabytes: 96 })
  const marked = await workbooks.mark(file, faultListOf([markAt('Sheet1', 'A1', 'Here.')]))
  t.same((await seen(marked)).marks, ['Sheet1 A1 Here.'])
  t.same(await markedContents(marked), [['Sheet1', false, ['1 | 1:n1', '1048576 | 200:n2']]])
})

t.test('a text that many cells share is written only once, within 192 MB', async (t) => {
  const cells = `<row>${'<c t="s"><v>0</v></c>'.repeat(200)}</row>`.repeat(5)
  const text = 'x'.repeat(30_000)
  const file = handMade({ sheets: [cells], strings: `<sst><si><t>${text}</t></si></sst>` })
  const workbooks = createWorkbooks({ timeoutMs: 600_000, heapMegabytes: 192 })
  const marked = await workbooks.mark(file, faultListOf([]))
  t.ok(marked.length < 2_000_000, `${marked.length} bytes`)
  const { sheets } = await readHere(marked)
  t.ok(sheets[1]?.rows.at(-1)?.cells.at(-1)?.text === text)
})
