import type { FastifyRequest } from 'fastify'
import { PermitRefused } from '../platform/concurrency/semaphore.js'
import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'
import { runHeavy } from '../platform/server/bulkhead.js'
import { WorkbookError } from '../xlsx/format/workbook-error.js'
import { workbookProblem, workbookProblems } from './workbook-problems.js'

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
    throw error instanceof WorkbookError ? workbookProblem(error.details, error) : error
  })
