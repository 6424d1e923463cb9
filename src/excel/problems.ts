import type { FastifyRequest } from 'fastify'
import { PermitRefused } from '../platform/concurrency/semaphore.js'
import { problemsOf } from '../platform/errors/problem.js'
import { runHeavy } from '../platform/server/bulkhead.js'
import { WorkbookError } from '../xlsx/format/workbook-error.js'
import { excelProblems, sharedExcelProblems } from './texts.js'
import { workbookProblem } from './workbook-problems.js'

export const excelProblem = problemsOf({ ...excelProblems, ...sharedExcelProblems })

/** The problem of an import or export when no permit is free. */
const tooManyWorkbooks = () =>
  excelProblem('too-many-workbooks', null, null, { headers: { 'retry-after': '30' } })

/**
 * Runs heavy work of a request on a workbook.
 * @throws Problem `too-many-workbooks`, those of {@link WorkbookError}, and those of the work.
 */
export const runOnWorkbook = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> =>
  runHeavy(request, work).catch((error) => {
    if (error instanceof PermitRefused) throw tooManyWorkbooks()
    throw error instanceof WorkbookError ? workbookProblem(error.details, error) : error
  })
