import type { Words } from '../platform/errors/language.js'
import { type Problem, type ProblemType, problemsOf } from '../platform/errors/problem.js'
import type { WorkbookError, WorkbookErrorCode, WorkbookErrorDetails } from '../xlsx/format/workbook-error.js'

const saveAsXlsx: Words = {
  en: 'Open the file in the program that made it, and save it as .xlsx: in Excel choose File, Save As, “Excel Workbook (*.xlsx)”; in LibreOffice choose File, Save As, “Excel 2007–365 (.xlsx)”.',
  da: 'Åbn filen i det program, den er lavet i, og gem den som .xlsx: i Excel vælg Filer, Gem som, “Excel-projektmappe (*.xlsx)”; i LibreOffice vælg Filer, Gem som, “Excel 2007–365 (.xlsx)”.'
}
const saveAgain: Words = {
  en: 'Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
  da: 'Åbn den i Excel eller LibreOffice, gem den som .xlsx igen, og send den nye fil.'
}
const tooLarge: Words = { en: 'The workbook is too large', da: 'Filen er større, end den må være' }
const fewerRows: Words = { en: 'Send fewer rows at a time.', da: 'Send færre rækker ad gangen.' }
const copyRows: Words = {
  en: 'Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  da: 'Kopiér rækkerne til en ny, tom projektmappe, og send den, eller send færre rækker ad gangen.'
}

/** Problems by the codes of WorkbookError. */
export const workbookProblems = {
  'empty-file': [
    400,
    { en: 'The file is empty', da: 'Filen er tom' },
    {
      en: 'Check that it was saved, and choose it again.',
      da: 'Kontrollér, at den er gemt, og vælg den igen.'
    }
  ],
  damaged: [400, { en: 'The file is damaged', da: 'Filen er beskadiget' }, saveAgain],
  'unsafe-content': [
    400,
    {
      en: 'The workbook contains a DOCTYPE declaration',
      da: 'Filen indeholder en DOCTYPE, som ikke hører til i en Excel-fil'
    },
    saveAgain
  ],
  'not-a-workbook': [
    415,
    { en: 'The file is not an Excel workbook', da: 'Det er ikke en Excel-fil' },
    saveAsXlsx
  ],
  'is-csv': [
    415,
    { en: 'The file is plain text, such as .csv', da: 'Det er en tekstfil, fx en CSV-fil' },
    saveAsXlsx
  ],
  'is-ods': [
    415,
    { en: 'The file is an OpenDocument file', da: 'Filen er fra LibreOffice eller OpenOffice' },
    saveAsXlsx
  ],
  'is-xls': [
    415,
    { en: 'The file is an old Excel workbook', da: 'Filen er fra en gammel Excel' },
    saveAsXlsx
  ],
  'is-xlsb': [415, { en: 'The file is a binary workbook', da: 'Det er en binær Excel-fil' }, saveAsXlsx],
  encrypted: [
    422,
    { en: 'The workbook is protected with a password', da: 'Filen er beskyttet med adgangskode' },
    {
      en: 'Open it in Excel, choose File, Info, Protect Workbook, “Encrypt with Password”, clear the password, save it and send it again.',
      da: 'Åbn den i Excel, vælg Filer, Oplysninger, Beskyt projektmappe, “Krypter med adgangskode”, fjern adgangskoden, gem filen, og send den igen.'
    }
  ],
  'no-sheets': [
    422,
    { en: 'The workbook has no sheets', da: 'Filen har ingen ark' },
    {
      en: 'Start from the template, and fill in the rows of its sheets.',
      da: 'Begynd med skabelonen, og udfyld rækkerne i dens ark.'
    }
  ],
  'file-too-large': [413, { en: 'The file is too large', da: tooLarge.da }, fewerRows],
  'unpacked-too-large': [413, tooLarge, copyRows],
  'too-many-parts': [
    413,
    tooLarge,
    {
      en: 'Remove pictures and other objects, or copy the rows into a new, empty workbook.',
      da: 'Fjern billeder og andre objekter, eller kopiér rækkerne til en ny, tom projektmappe.'
    }
  ],
  'too-many-sheets': [
    413,
    tooLarge,
    { en: 'Remove the sheets that are not needed.', da: 'Fjern de ark, der ikke er brug for.' }
  ],
  'too-many-rows': [413, tooLarge, fewerRows],
  'too-many-cells': [413, tooLarge, fewerRows],
  'text-too-long': [
    413,
    { en: 'A cell has too much text', da: 'Teksten er længere, end den må være' },
    { en: 'Shorten it.', da: 'Gør den kortere.' }
  ],
  'too-much-text': [413, tooLarge, fewerRows],
  'too-slow': [
    413,
    { en: 'The workbook takes too long to read', da: 'Det tager for lang tid at læse filen' },
    copyRows
  ],
  'too-much-memory': [
    413,
    { en: 'The workbook is too large to read', da: 'Filen er for stor eller for indviklet at læse' },
    copyRows
  ],
  'reader-failed': [
    500,
    { en: 'The workbook could not be read', da: 'Filen kunne ikke læses' },
    {
      en: 'Try again, and contact support if it happens again.',
      da: 'Prøv igen, og kontakt support, hvis det sker igen.'
    }
  ]
} as const satisfies Record<WorkbookErrorCode, ProblemType>

/** What there is more of than a limit allows. */
const exceeded: Readonly<Partial<Record<WorkbookErrorCode, Words>>> = {
  'file-too-large': { en: 'bytes in the file', da: 'byte i filen' },
  'unpacked-too-large': { en: 'bytes in the unpacked workbook', da: 'byte i den udpakkede fil' },
  'too-many-parts': { en: 'parts in the workbook', da: 'dele i filen' },
  'too-many-sheets': { en: 'sheets in the workbook', da: 'ark i filen' },
  'too-many-rows': { en: 'non-empty rows in a sheet', da: 'udfyldte rækker i et ark' },
  'too-many-cells': { en: 'non-empty cells in the workbook', da: 'udfyldte celler i filen' },
  'text-too-long': { en: 'characters in a cell', da: 'tegn i en celle' },
  'too-much-text': { en: 'characters in all cells', da: 'tegn i alle celler' }
}

const makeProblem = problemsOf(workbookProblems)

/**
 * The problem of a workbook that cannot be read. Its detail says which limit is exceeded, what to
 * do, and where in the file.
 */
export function workbookProblem(
  { code, limit = 0, location }: WorkbookErrorDetails,
  cause?: WorkbookError
): Problem {
  const [, , remedy] = workbookProblems[code]
  const more = exceeded[code]
  const { sheet = 0, row = 0, cell } = location ?? {}
  const at = row > 0 ? { en: `, row ${row}`, da: `, række ${row}` } : { en: '', da: '' }
  const detail = {
    en: sentences(
      more && `There are more than ${limit.toLocaleString('en-US')} ${more.en}.`,
      remedy.en,
      location && `(Found in sheet ${sheet}${cell ? `, cell ${cell}` : at.en}.)`
    ),
    da: sentences(
      more && `Der er mere end ${limit.toLocaleString('da')} ${more.da}.`,
      remedy.da,
      location && `(Fundet i ark ${sheet}${cell ? `, celle ${cell}` : at.da}.)`
    )
  }
  return makeProblem(code, detail, { cause })
}

const sentences = (...texts: (string | undefined)[]) => texts.filter((text) => text !== undefined).join(' ')
