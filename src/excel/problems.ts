import type { FastifyRequest } from 'fastify'
import { slotOwnerOf } from '../platform/auth/caller.js'
import { NoSlot } from '../platform/concurrency/slots.js'
import { problemsOf } from '../platform/errors/problem.js'
import { WorkbookError } from '../xlsx/format/workbook-error.js'
import { excelProblems, sharedExcelProblems } from './texts.js'
import { workbookProblem } from './workbook-problems.js'

export const excelProblem = problemsOf({ ...excelProblems, ...sharedExcelProblems })

/** The problem of an import or export when no slot is free. */
const tooManyWorkbooks = () =>
  excelProblem('too-many-workbooks', null, null, { headers: { 'retry-after': '30' } })

/**
 * Runs heavy work of a request on a workbook.
 * @throws Problem `too-many-workbooks`, those of {@link WorkbookError}, and those of the work.
 */
export const runOnWorkbook = <T>(
  { server, state: { call, deadline } }: FastifyRequest,
  work: () => Promise<T>
): Promise<T> =>
  server.slots.heavyWork.run(slotOwnerOf(call.caller), work, deadline).catch((error) => {
    if (error instanceof NoSlot) throw tooManyWorkbooks()
    throw error instanceof WorkbookError ? workbookProblem(error.details, error) : error
  })
