import ExcelJS from 'exceljs'
import t from 'tap'
import { csvRow, csvTable } from '../../src/platform/rest/csv.js'
import { libreOffice, skipLibreOffice } from '../fixtures/excel/libre-office.js'

const beginnings = ['', ';', '\t', '\r', '\n', '\r\n', 'Vej 1;', ';"', ';""', '";"', '"\n"']
const texts = beginnings.flatMap((beginning) =>
  ['=1+41', '=1+41;', '+1+41;', '-1+41\t', '@SUM(1;41);', '=1+41\n'].map((formula) => beginning + formula)
)

/** Codes of separators, by their names. */
const separators = { comma: 44, semicolon: 59, tab: 9 }

for (const [name, code] of Object.entries(separators))
  t.test(
    `a spreadsheet that expects a ${name} finds no formula in CSV`,
    { skip: skipLibreOffice },
    async (t) => {
      // UTF-8, from the first line; formulas are evaluated.
      const filter = `Text - txt - csv (StarCalc):${code},34,76,1,,0,false,true,false,false,false,-1,true`
      const open = libreOffice(t, 'csv', [`--infilter=${filter}`])
      const formulasOf = async (csv: Buffer) => {
        const book = new ExcelJS.Workbook()
        await book.xlsx.load((await open(csv)) as unknown as ArrayBuffer)
        const formulas: string[] = []
        for (const sheet of book.worksheets)
          sheet.eachRow((row) =>
            row.eachCell((cell) => {
              if (cell.formula) formulas.push(cell.formula)
            })
          )
        return formulas
      }
      t.same(await formulasOf(Buffer.from('name\r\n=1+41\r\n')), ['1+41'], 'formulas are evaluated')
      t.same(
        await formulasOf(
          csvTable(
            ['first', 'second'],
            texts.map((text) => csvRow(['x', text]))
          )
        ),
        []
      )
    }
  )
