import type { Texts } from '../platform/errors/language.js'
import { type ProblemTable, type ProblemTexts, withDetails } from '../platform/errors/problem.js'
import type { WorkbookErrorCode } from '../xlsx/format/workbook-error.js'

const saveAsXlsx = {
  en: 'Open the file in the program that made it, and save it as .xlsx. In Excel: choose File, Save As, “Excel Workbook (*.xlsx)”. In LibreOffice: choose File, Save As, “Excel 2007–365 (.xlsx)”.',
  da: 'Åbn filen i det program, den er lavet i, og gem den som .xlsx. I Excel: vælg Filer, Gem som, »Excel-projektmappe (*.xlsx)«. I LibreOffice: vælg Filer, Gem som, »Excel 2007–365 (.xlsx)«.'
} as const
const saveAgain = {
  en: 'Open it in Excel or LibreOffice, save it as .xlsx again and send the new file.',
  da: 'Åbn den i Excel eller LibreOffice, gem den som .xlsx igen, og send den nye fil.'
} as const
const fewerRows = { en: 'Send fewer rows at a time.', da: 'Send færre rækker ad gangen.' } as const
const copyRows = {
  en: 'Copy the rows into a new, empty workbook and send that, or send fewer rows at a time.',
  da: 'Kopiér rækkerne til en ny, tom projektmappe, og send den, eller send færre rækker ad gangen.'
} as const

/** Problems by the codes of WorkbookError. */
export const workbookProblems = {
  'empty-file': {
    status: 400,
    title: { en: 'The file is empty', da: 'Filen er tom' },
    remedy: {
      en: 'Check that it was saved, and choose it again.',
      da: 'Kontrollér, at den er gemt, og vælg den igen.'
    }
  },
  damaged: {
    status: 400,
    title: { en: 'The file is damaged', da: 'Filen er beskadiget' },
    remedy: saveAgain
  },
  'unsafe-content': {
    status: 400,
    title: {
      en: 'The workbook contains a DOCTYPE declaration',
      da: 'Filen indeholder en DOCTYPE, som ikke hører til i en Excel-fil'
    },
    remedy: saveAgain
  },
  'not-a-workbook': {
    status: 415,
    title: { en: 'The file is not an Excel workbook', da: 'Det er ikke en Excel-fil' },
    remedy: saveAsXlsx
  },
  'is-csv': {
    status: 415,
    title: { en: 'The file is plain text, such as .csv', da: 'Det er en tekstfil, fx en CSV-fil' },
    remedy: saveAsXlsx
  },
  'is-ods': {
    status: 415,
    title: { en: 'The file is an OpenDocument file', da: 'Filen er fra LibreOffice eller OpenOffice' },
    remedy: saveAsXlsx
  },
  'is-xls': {
    status: 415,
    title: { en: 'The file is an old Excel workbook', da: 'Filen er fra en gammel version af Excel' },
    remedy: saveAsXlsx
  },
  'is-xlsb': {
    status: 415,
    title: { en: 'The file is a binary workbook', da: 'Det er en binær Excel-fil' },
    remedy: saveAsXlsx
  },
  encrypted: {
    status: 422,
    title: { en: 'The workbook is protected with a password', da: 'Filen er beskyttet med adgangskode' },
    remedy: {
      en: 'Open it in Excel, choose File, Info, Protect Workbook, “Encrypt with Password”, clear the password, save it and send it again.',
      da: 'Åbn den i Excel, vælg Filer, Oplysninger, Beskyt projektmappe, »Krypter med adgangskode«, fjern adgangskoden, gem filen, og send den igen.'
    }
  },
  'no-sheets': {
    status: 422,
    title: { en: 'The workbook has no sheets', da: 'Filen har ingen ark' },
    remedy: {
      en: 'Start from the template, and fill in the rows of its sheets.',
      da: 'Begynd med skabelonen, og udfyld rækkerne i dens ark.'
    }
  },
  'file-too-large': {
    status: 413,
    title: { en: 'The file has too many bytes', da: 'Filen fylder for mange byte' },
    remedy: fewerRows
  },
  'unpacked-too-large': {
    status: 413,
    title: { en: 'The unpacked workbook has too many bytes', da: 'Den udpakkede fil fylder for mange byte' },
    remedy: copyRows
  },
  'too-many-parts': {
    status: 413,
    title: { en: 'The workbook has too many parts', da: 'Filen har for mange dele' },
    remedy: {
      en: 'Remove pictures and other objects, or copy the rows into a new, empty workbook.',
      da: 'Fjern billeder og andre objekter, eller kopiér rækkerne til en ny, tom projektmappe.'
    }
  },
  'too-many-sheets': {
    status: 413,
    title: { en: 'The workbook has too many sheets', da: 'Filen har for mange ark' },
    remedy: { en: 'Remove the sheets that are not needed.', da: 'Fjern de ark, der ikke er brug for.' }
  },
  'too-many-rows': {
    status: 413,
    title: { en: 'A sheet has too many rows', da: 'Et ark har for mange rækker' },
    remedy: fewerRows
  },
  'too-many-cells': {
    status: 413,
    title: { en: 'The workbook has too many cells', da: 'Filen har for mange celler' },
    remedy: fewerRows
  },
  'text-too-long': {
    status: 413,
    title: { en: 'A cell has too many characters', da: 'En celle har for mange tegn' },
    remedy: { en: 'Shorten it.', da: 'Gør den kortere.' }
  },
  'too-much-text': {
    status: 413,
    title: { en: 'The workbook has too many characters', da: 'Filen har for mange tegn' },
    remedy: fewerRows
  },
  'too-slow': {
    status: 413,
    title: { en: 'The workbook takes too long to read', da: 'Det tager for lang tid at læse filen' },
    remedy: copyRows
  },
  'too-much-memory': {
    status: 413,
    title: {
      en: 'The workbook is too large or too complex to read',
      da: 'Filen er for stor eller for kompliceret til at blive læst'
    },
    remedy: copyRows
  },
  'reader-failed': {
    status: 500,
    title: { en: 'The workbook could not be read', da: 'Filen kunne ikke læses' },
    remedy: {
      en: 'Try again, and contact support if it happens again.',
      da: 'Prøv igen, og kontakt support, hvis det sker igen.'
    }
  }
} as const satisfies Record<WorkbookErrorCode, ProblemTexts>

export const excelProblems = {
  ...workbookProblems,
  'no-file': {
    status: 400,
    title: { en: 'The request has no file', da: 'Der fulgte ingen fil med' },
    remedy: { en: 'Send the file as the form field `file`.', da: 'Send filen i feltet `file`.' }
  },
  'several-files': {
    status: 400,
    title: { en: 'The request has more than one file', da: 'Der fulgte flere filer med' },
    remedy: { en: 'Send one file, in the field `file`.', da: 'Send én fil i feltet `file`.' }
  },
  'malformed-upload': {
    status: 400,
    title: { en: 'The upload is malformed', da: 'Filen kom ikke helt frem' },
    remedy: { en: 'Send it again as multipart/form-data.', da: 'Send den igen.' },
    details: {
      otherField: {
        en: 'Send only the field file, with the workbook.',
        da: 'Send kun feltet file med filen.'
      }
    }
  },
  'faulty-workbook': {
    status: 422,
    title: { en: 'The workbook has faults', da: 'Filen har fejl' },
    remedy: {
      en: 'Correct the cells that `faults` names, or those in the marked copy.',
      da: 'Ret de celler, som `faults` angiver, eller dem, der er markeret i kopien.'
    },
    details: {
      oneFault: {
        en: 'Nothing was written. 1 fault, at {where}: {fault}',
        da: 'Intet er skrevet. 1 fejl, ved {where}: {fault}'
      },
      severalFaults: {
        en: 'Nothing was written. {count} faults; the first, at {where}: {fault}',
        da: 'Intet er skrevet. {count} fejl; den første, ved {where}: {fault}'
      }
    }
  },
  'too-many-workbooks': {
    status: 503,
    title: { en: 'Too many workbooks are being read', da: 'For mange filer læses lige nu' },
    remedy: { en: 'Try again in a minute.', da: 'Vent et minut, og prøv igen.' }
  }
} as const satisfies ProblemTable

export const sharedExcelProblems = withDetails({
  'unsupported-media-type': {
    workbook: {
      en: 'Send the workbook as multipart/form-data, in the field file, as curl does with -F file=@catalogue.xlsx.',
      da: 'Send filen som multipart/form-data i feltet file, som curl gør med -F file=@katalog.xlsx.'
    }
  }
})

export const excelTexts = {
  limit: { en: '{title}: at most {limit} are allowed.', da: '{title}: højst {limit} er tilladt.' },
  foundInSheet: { en: '(Found in sheet {sheet}.)', da: '(Fundet i ark {sheet}.)' },
  foundInRow: {
    en: '(Found in sheet {sheet}, row {row}.)',
    da: '(Fundet i ark {sheet}, række {row}.)'
  },
  foundInCell: {
    en: '(Found in sheet {sheet}, cell {cell}.)',
    da: '(Fundet i ark {sheet}, celle {cell}.)'
  },
  fileName: { en: 'catalogue.xlsx', da: 'katalog.xlsx' }
} as const satisfies Texts
