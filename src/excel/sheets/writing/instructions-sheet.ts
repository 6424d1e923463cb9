import type ExcelJS from 'exceljs'
import type { Language, Words } from '../../../platform/errors/language.js'
import { exampleMark, type SheetTable } from '../columns/columns.js'
import { addTextRow } from './add-text-row.js'

/** The sheet that says how to fill in the others. Imports do not read it. */
export const instructionsSheet: Words = { en: 'Instructions', da: 'Vejledning' }

const title: Words = { en: 'How to fill in this workbook', da: 'Sådan udfyldes filen' }

const steps: readonly Words[] = [
  {
    en: 'Fill in one row in the sheet of the catalogue: its name and its seller.',
    da: 'Udfyld én række i arket med kataloget: dets navn og dets leverandør.'
  },
  {
    en: 'Fill in a row for each device and each service. Columns with a star must be filled in.',
    da: 'Udfyld en række for hvert stykke udstyr og for hver ydelse. Kolonner med en stjerne skal udfyldes.'
  },
  {
    en: 'Give each item an identifier, such as your item number. Rows are matched by it in later updates.',
    da: 'Giv hver vare en identifikator, fx jeres varenummer. Rækker findes igen ved den, når kataloget senere opdateres.'
  },
  {
    en: 'A row that is left out is not removed. Set its status to stop orders of it.',
    da: 'En række, der udelades, bliver ikke fjernet. Sæt dens status, hvis varen ikke længere må bestilles.'
  },
  {
    en: 'Keep the names of sheets and the headers. Sheets, columns and rows may be in any order.',
    da: 'Lad arkenes navne og overskrifterne stå. Ark, kolonner og rækker kan stå i en hvilken som helst rækkefølge.'
  },
  {
    en: `A row whose first column says ${exampleMark.en} is an example, which is not imported.`,
    da: `En række, hvor der står ${exampleMark.da} i første kolonne, er et eksempel, som ikke indlæses.`
  },
  {
    en: 'Write numbers with leading zeros as text: the cells are formatted for it. Do not use dates.',
    da: 'Skriv numre med foranstillede nuller som tekst: cellerne er formateret til det. Brug ikke datoer.'
  },
  {
    en: 'Check the workbook on the upload page before you import it. It says what is wrong, and what will change.',
    da: 'Kontrollér filen på siden til indlæsning, før du indlæser den. Siden siger, hvad der er galt, og hvad der bliver ændret.'
  }
]

const headers: Readonly<Record<Language, readonly string[]>> = {
  en: ['Sheet', 'Column', 'Required', 'What to fill in'],
  da: ['Ark', 'Kolonne', 'Skal udfyldes', 'Hvad der skal stå']
}
const yes: Words = { en: 'yes', da: 'ja' }
const WIDTHS = [18, 30, 14, 100]

/** Writes how to fill in the workbook, and what goes into each column of its sheets. */
export function addInstructions(
  sheet: ExcelJS.Worksheet,
  tables: readonly SheetTable[],
  language: Language
): void {
  sheet.columns = WIDTHS.map((width) => ({
    width,
    style: { numFmt: '@', alignment: { vertical: 'top', wrapText: true } }
  }))
  addHeading(sheet, [title[language]])
  for (const [at, step] of steps.entries())
    addTextRow(sheet, [String(at + 1), undefined, undefined, step[language]])
  addHeading(sheet, headers[language])
  for (const { name, columns } of tables)
    for (const { header, comment, isRequired } of columns)
      if (comment)
        addTextRow(sheet, [
          ...[name[language], header[language], isRequired ? yes[language] : undefined],
          comment[language]
        ])
  sheet.commit()
}

function addHeading(sheet: ExcelJS.Worksheet, texts: readonly string[]): void {
  const row = sheet.addRow([...texts])
  row.font = { bold: true }
  row.commit()
}
