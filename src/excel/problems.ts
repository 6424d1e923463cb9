import type { FastifyRequest } from 'fastify'
import { PermitRefused } from '../platform/concurrency/semaphore.js'
import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'
import { runHeavy } from '../platform/server/bulkhead.js'
import { WorkbookError } from '../xlsx/format/workbook-error.js'

/** Problems by the codes of WorkbookError. */
const workbookProblems = {
  'empty-file': [400, 'The file is empty'],
  damaged: [400, 'The file is damaged'],
  'unsafe-content': [400, 'The workbook has forbidden content'],
  'not-a-workbook': [415, 'The file is not a workbook'],
  'is-csv': [415, 'The file is not a workbook'],
  'is-ods': [415, 'The file is not an Excel workbook'],
  'is-xls': [415, 'The file is an old Excel workbook'],
  'is-xlsb': [415, 'The file is a binary workbook'],
  encrypted: [422, 'The workbook is protected with a password'],
  'no-sheets': [422, 'The workbook has no sheets'],
  'file-too-large': [413, 'The file is too large'],
  'unpacked-too-large': [413, 'The workbook is too large'],
  'too-many-parts': [413, 'The workbook is too large'],
  'too-many-sheets': [413, 'The workbook is too large'],
  'too-many-rows': [413, 'The workbook is too large'],
  'too-many-cells': [413, 'The workbook is too large'],
  'text-too-long': [413, 'A cell has too much text'],
  'too-much-text': [413, 'The workbook is too large'],
  'too-slow': [413, 'The workbook takes too long to read'],
  'too-much-memory': [413, 'The workbook is too large to read'],
  'reader-failed': [500, 'The workbook could not be read']
} as const satisfies ProblemTable

export const excelProblems = {
  ...workbookProblems,
  'no-file': [400, 'The request has no file'],
  'several-files': [400, 'The request has more than one file'],
  'malformed-upload': [400, 'The upload is malformed'],
  'faulty-workbook': [422, 'The workbook has faults'],
  'too-many-workbooks': [503, 'Too many workbooks are being read']
} as const satisfies ProblemTable

export const excelProblem = problemsOf(excelProblems)

/** The problem of an import or export when no permit is free. */
const tooManyWorkbooks = () =>
  excelProblem('too-many-workbooks', 'Too many workbooks are being read. Try again in a minute.', {
    headers: { 'retry-after': '30' }
  })

/**
 * Runs heavy work of a request on a workbook.
 * @throws Problem `too-many-workbooks`, those of {@link WorkbookError}, and those of the work.
 */
export const runOnWorkbook = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> =>
  runHeavy(request, work).catch((error) => {
    if (error instanceof PermitRefused) throw tooManyWorkbooks()
    throw error instanceof WorkbookError ? excelProblem(error.code, error.message, { cause: error }) : error
  })
