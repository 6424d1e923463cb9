import type { FastifyRequest } from 'fastify'
import { PermitRefused } from '../platform/concurrency/semaphore.js'
import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'
import { runHeavy } from '../platform/server/bulkhead.js'
import { WorkbookError } from '../xlsx/format/workbook-error.js'

/** Problems by the codes of WorkbookError. */
const workbookProblems = {
  'empty-file': [
    400,
    { en: 'The file is empty', da: 'Filen er tom' },
    { en: 'Choose a file with content.', da: 'Vælg en fil med indhold.' }
  ],
  damaged: [
    400,
    { en: 'The file is damaged', da: 'Filen er beskadiget' },
    { en: 'Open it in Excel, and save it again.', da: 'Åbn den i Excel, og gem den igen.' }
  ],
  'unsafe-content': [
    400,
    {
      en: 'The workbook has forbidden content',
      da: 'Filen indeholder noget, der ikke hører til i en Excel-fil'
    },
    { en: 'Remove macros, links and embedded files.', da: 'Fjern makroer, kæder og indlejrede filer.' }
  ],
  'not-a-workbook': [
    415,
    { en: 'The file is not a workbook', da: 'Det er ikke en Excel-fil' },
    {
      en: 'Open the file in Excel, and save it as an Excel workbook (.xlsx).',
      da: 'Åbn filen i Excel, og gem den som Excel-projektmappe (.xlsx).'
    }
  ],
  'is-csv': [
    415,
    { en: 'The file is not a workbook', da: 'Det er en CSV-fil' },
    {
      en: 'Open the file in Excel, and save it as an Excel workbook (.xlsx).',
      da: 'Åbn filen i Excel, og gem den som Excel-projektmappe (.xlsx).'
    }
  ],
  'is-ods': [
    415,
    { en: 'The file is not an Excel workbook', da: 'Filen er fra LibreOffice eller OpenOffice' },
    { en: 'Save it as an Excel workbook (.xlsx).', da: 'Gem den som Excel-projektmappe (.xlsx).' }
  ],
  'is-xls': [
    415,
    { en: 'The file is an old Excel workbook', da: 'Filen er fra en gammel Excel' },
    {
      en: 'Open the file in Excel, and save it as an Excel workbook (.xlsx).',
      da: 'Åbn filen i Excel, og gem den som Excel-projektmappe (.xlsx).'
    }
  ],
  'is-xlsb': [
    415,
    { en: 'The file is a binary workbook', da: 'Det er en binær Excel-fil' },
    {
      en: 'Open the file in Excel, and save it as an Excel workbook (.xlsx).',
      da: 'Åbn filen i Excel, og gem den som Excel-projektmappe (.xlsx).'
    }
  ],
  encrypted: [
    422,
    { en: 'The workbook is protected with a password', da: 'Filen er beskyttet med adgangskode' },
    { en: 'Save it without a password.', da: 'Gem den uden adgangskode.' }
  ],
  'no-sheets': [
    422,
    { en: 'The workbook has no sheets', da: 'Filen har ingen ark' },
    {
      en: 'Start from the template or from an export.',
      da: 'Begynd med skabelonen eller en fil, der er hentet her.'
    }
  ],
  'file-too-large': [
    413,
    { en: 'The file is too large', da: 'Filen er større, end den må være' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'unpacked-too-large': [
    413,
    { en: 'The workbook is too large', da: 'Filen er større, end den må være' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'too-many-parts': [
    413,
    { en: 'The workbook is too large', da: 'Filen er større, end den må være' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'too-many-sheets': [
    413,
    { en: 'The workbook is too large', da: 'Filen har flere ark, end den må have' },
    { en: 'Remove sheets that are not needed.', da: 'Fjern ark, der ikke er brug for.' }
  ],
  'too-many-rows': [
    413,
    { en: 'The workbook is too large', da: 'Filen har flere rækker, end den må have' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'too-many-cells': [
    413,
    { en: 'The workbook is too large', da: 'Filen har flere celler, end den må have' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'text-too-long': [
    413,
    { en: 'A cell has too much text', da: 'Teksten er længere, end den må være' },
    { en: 'Shorten it.', da: 'Gør den kortere.' }
  ],
  'too-much-text': [
    413,
    { en: 'The workbook is too large', da: 'Filen er større, end den må være' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'too-slow': [
    413,
    { en: 'The workbook takes too long to read', da: 'Det tager for lang tid at læse filen' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'too-much-memory': [
    413,
    { en: 'The workbook is too large to read', da: 'Filen er større, end den må være' },
    { en: 'Divide it into several files.', da: 'Del den op i flere.' }
  ],
  'reader-failed': [
    500,
    { en: 'The workbook could not be read', da: 'Filen kunne ikke læses' },
    { en: 'Try again.', da: 'Prøv igen.' }
  ]
} as const satisfies ProblemTable

export const excelProblems = {
  ...workbookProblems,
  'no-file': [
    400,
    { en: 'The request has no file', da: 'Der fulgte ingen fil med' },
    { en: 'Send the file as the form field `file`.', da: 'Prøv igen.' }
  ],
  'several-files': [
    400,
    { en: 'The request has more than one file', da: 'Der fulgte flere filer med' },
    { en: 'Send one file, in the field `file`.', da: 'Send én fil i feltet `file`.' }
  ],
  'malformed-upload': [
    400,
    { en: 'The upload is malformed', da: 'Filen kom ikke helt frem' },
    { en: 'Send it again as multipart/form-data.', da: 'Send den igen.' }
  ],
  'faulty-workbook': [
    422,
    { en: 'The workbook has faults', da: 'Filen har fejl' },
    {
      en: 'Correct the cells that `errors` names, or those in the marked copy.',
      da: 'Ret de celler, som `errors` nævner, eller dem i den markerede kopi.'
    }
  ],
  'too-many-workbooks': [
    503,
    { en: 'Too many workbooks are being read', da: 'For mange filer læses lige nu' },
    { en: 'Try again in a minute.', da: 'Vent et minut, og prøv igen.' }
  ]
} as const satisfies ProblemTable

export const excelProblem = problemsOf(excelProblems)

/** The problem of an import or export when no permit is free. */
const tooManyWorkbooks = () =>
  excelProblem('too-many-workbooks', undefined, {
    headers: { 'retry-after': '30' }
  })

/**
 * Runs heavy work of a request on a workbook.
 * @throws Problem `too-many-workbooks`, those of {@link WorkbookError}, and those of the work.
 */
export const runOnWorkbook = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> =>
  runHeavy(request, work).catch((error) => {
    if (error instanceof PermitRefused) throw tooManyWorkbooks()
    throw error instanceof WorkbookError ? excelProblem(error.code, error.texts, { cause: error }) : error
  })
