import { PermitRefused } from '../platform/concurrency/semaphore.js'
import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'
import { WorkbookError } from '../xlsx/workbook-error.js'

/** Why a file is not read, by the codes of its refusal. */
const refusals = {
  'empty-file': [400, 'The file is empty'],
  damaged: [400, 'The file is damaged'],
  'unsafe-content': [400, 'The workbook holds what does not belong in one'],
  'not-a-workbook': [415, 'The file is no workbook'],
  'is-csv': [415, 'The file is no workbook'],
  'is-ods': [415, 'The file is no workbook of Excel'],
  'is-xls': [415, 'The file is a workbook of an old Excel'],
  'is-xlsb': [415, 'The file is a binary workbook'],
  encrypted: [422, 'The workbook is protected with a password'],
  'no-sheets': [422, 'The workbook has no sheets'],
  'file-too-large': [413, 'The file is larger than allowed'],
  'unpacked-too-large': [413, 'The workbook is larger than allowed'],
  'too-many-parts': [413, 'The workbook is larger than allowed'],
  'too-many-sheets': [413, 'The workbook is larger than allowed'],
  'too-many-rows': [413, 'The workbook is larger than allowed'],
  'too-many-cells': [413, 'The workbook is larger than allowed'],
  'text-too-long': [413, 'A cell holds more than allowed'],
  'too-much-text': [413, 'The workbook is larger than allowed'],
  'too-slow': [413, 'The workbook takes too long to read'],
  'too-much-memory': [413, 'The workbook is too large to read'],
  'reader-failed': [500, 'The workbook could not be read']
} as const satisfies ProblemTable

export const excelProblems = {
  ...refusals,
  'no-file': [400, 'There is no file in the request'],
  'several-files': [400, 'There is more than one file in the request'],
  'malformed-upload': [400, 'The upload is not well-formed'],
  'faulty-workbook': [422, 'The workbook has faults'],
  'too-many-workbooks': [503, 'Too many workbooks are being read']
} as const satisfies ProblemTable

export const excelProblem = problemsOf(excelProblems)

/** The problem of an import or export while as many are worked on as may be. */
const tooManyWorkbooks = () =>
  excelProblem(
    'too-many-workbooks',
    'Too many workbooks are being read at the moment. Try again in a minute.',
    {
      headers: { 'retry-after': '30' }
    }
  )

/** A refusal of a workbook as a problem; anything else stays what it is. */
export function problemOfRefusal(error: unknown): unknown {
  if (error instanceof PermitRefused) return tooManyWorkbooks()
  return error instanceof WorkbookError ? excelProblem(error.code, error.message, { cause: error }) : error
}
