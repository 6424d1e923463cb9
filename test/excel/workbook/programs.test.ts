import t from 'tap'
import { readHere, rowSentences, sampleFile } from '../../fixtures/excel/reading.js'

const heads =
  '1 | 1:t"text" 2:t"padded" 3:t"date" 4:t"time" 5:t"boolean" 6:t"number" 7:t"rich" 8:t"link" 9:t"sum" 10:t"joined" 11:t"error"'
const values = (formulas: string, time = '2026-11-21 10:15:00') =>
  `2 | 1:t"00123" 2:n00123 3:d2026-11-21 4:d${time} 5:bTRUE 6:n12.5 7:t"bold and plain" 8:t"Manual" ${formulas}`
const others = ['4 | 1:t"blood pressure <&> “æøå” 💓" 2:n5701234567890', '5 | 1:t"two\\nlines"']

/** Programs differ in which results of formulas they save. */
const saved = '9:n3 10:t"ab" 11:e#N/A'
const programs: { file: string; row: string; hidden: boolean }[] = [
  { file: 'libreoffice.xlsx', row: values(saved), hidden: true },
  // Gnumeric 1.12 does not save that a sheet is hidden.
  { file: 'gnumeric.xlsx', row: values(saved), hidden: false },
  { file: 'openpyxl.xlsx', row: values('9:f1+2 10:f"a"&"b" 11:fNA()'), hidden: true },
  { file: 'macros.xlsm', row: values(saved, '21/11/2026 10:15'), hidden: true }
]

for (const { file, row, hidden } of programs)
  t.test(`${file} is read like the workbooks of other programs`, async (t) => {
    const workbook = await readHere(sampleFile(file))
    t.same(
      workbook.sheets.map((sheet) => [sheet.name, sheet.isHidden, sheet.rows.length, sheet.beyond]),
      [
        ['Title', false, 2, undefined],
        ['Devices', false, 4, undefined],
        ['Hidden', hidden, 1, undefined]
      ]
    )
    t.same(rowSentences(workbook, 0), ['1 | 1:t"Devices of the region"', '4 | 1:t"after empty rows"'])
    t.same(rowSentences(workbook, 1), [heads, row, ...others])
    t.same(rowSentences(workbook, 2), ['1 | 1:t"unseen"'])
  })
