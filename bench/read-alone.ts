import ExcelJS from 'exceljs'

/* Reads a workbook with the library alone, whole or row by row, and says how long that took and how much memory it wanted. */

const [file = '', how = 'whole'] = process.argv.slice(2)
const began = performance.now()
let cells = 0
if (how === 'whole') {
  const book = new ExcelJS.Workbook()
  await book.xlsx.readFile(file)
  for (const sheet of book.worksheets) sheet.eachRow((row) => row.eachCell(() => cells++))
} else
  for await (const sheet of new ExcelJS.stream.xlsx.WorkbookReader(file, {}))
    for await (const row of sheet) row.eachCell(() => cells++)
const milliseconds = Math.round(performance.now() - began)
process.stdout.write(
  JSON.stringify({ milliseconds, megabytes: Math.round(process.resourceUsage().maxRSS / 1024), cells })
)
