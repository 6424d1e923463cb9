import t from 'tap'
import { createWorkbooks } from '../../../src/xlsx/workbook.js'
import { refusalOf, sample, sentences } from '../../fixtures/excel/reading.js'

const heads =
  '1 | 1:t"text" 2:t"padded" 3:t"date" 4:t"time" 5:t"boolean" 6:t"number" 7:t"rich" 8:t"link" 9:t"sum" 10:t"joined" 11:t"error"'
const values = (boolean: string, formulas: string) =>
  `2 | 1:t"00123" 2:n00123 3:d2026-11-21 4:d2026-11-21T10:15:00 5:${boolean} 6:n12.5 7:t"bold and plain" 8:t"Manual" ${formulas}`
const others = ['4 | 1:t"blood pressure <&> “æøå” 💓" 2:n5701234567890', '5 | 1:t"two\\nlines"']

/** What programs write differently: how they say what is true, and which results of formulas they save. */
const saved = values('bTRUE', '9:=n3 10:=t"ab" 11:=e#N/A')
const programs: [file: string, values: string, hidden: boolean][] = [
  ['libreoffice.xlsx', values('=bTRUE', '9:=n3 10:=t"ab" 11:=e#N/A'), true],
  // Gnumeric 1.12 does not say of a sheet that it is hidden.
  ['gnumeric.xlsx', saved, false],
  ['openpyxl.xlsx', values('bTRUE', '9:f1+2 10:f"a"&"b" 11:fNA()'), true],
  ['excel-writer.xlsx', saved, true],
  ['exceljs.xlsx', values('bTRUE', '9:=n3 10:f"a"&"b" 11:e#N/A'), true],
  ['macros.xlsm', saved, true]
]

const workbooks = createWorkbooks({ timeoutMs: 600_000 })

t.test('workbooks are read alike, whatever wrote them', async (t) => {
  for (const [file, values, isHidden] of programs) {
    const workbook = await workbooks.read(sample(file))
    t.same(
      workbook.sheets.map((sheet) => [sheet.name, sheet.isHidden, sheet.rows.length, sheet.beyond]),
      [
        ['Title', false, 2, undefined],
        ['Devices', false, 4, undefined],
        ['Hidden', isHidden, 1, undefined]
      ],
      file
    )
    t.same(sentences(workbook, 0), ['1 | 1:t"Devices of the region"', '4 | 1:t"after empty rows"'], file)
    t.same(sentences(workbook, 1), [heads, values, ...others], file)
    t.same(sentences(workbook, 2), ['1 | 1:t"unseen"'], file)
  }
})

t.test('a workbook can be walked again', async (t) => {
  const workbook = await workbooks.read(sample('libreoffice.xlsx'))
  t.same(sentences(workbook, 1), sentences(workbook, 1))
  t.equal(sentences(workbook, 1).length, 4)
})

t.test('other programs’ files are refused with what to do', async (t) => {
  const files = { 'other.ods': 'is-ods', 'other.csv': 'is-csv', 'other.xls': 'is-xls' }
  for (const [file, code] of Object.entries(files)) {
    const refusal = await refusalOf(workbooks.read(sample(file)))
    t.equal(refusal.code, code)
    t.match(refusal.message, /Excel.*Save As.*LibreOffice.*Save As/, file)
  }
})
