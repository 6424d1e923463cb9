import type { FastifyRequest } from 'fastify'
import { slotOwnerOf } from '../platform/auth/caller.js'
import { NoSlot } from '../platform/concurrency/slots.js'
import { fill, inEachLanguage, type LocalizedText } from '../platform/errors/language.js'
import { Problem, problemsOf } from '../platform/errors/problem.js'
import {
  WorkbookError,
  type WorkbookErrorDetails,
  type WorkbookLocation
} from '../xlsx/format/workbook-error.js'
import { excelProblems, excelTexts, sharedExcelProblems, workbookProblems } from './texts.js'

export const excelProblem = problemsOf({ ...excelProblems, ...sharedExcelProblems })

/** The problem of an import or export when no slot is free. */
const tooManyWorkbooks = () =>
  excelProblem('too-many-workbooks', null, null, { headers: { 'retry-after': '30' } })

/**
 * Runs heavy work of a request on a workbook.
 * @throws Problem `too-many-workbooks`, those of {@link WorkbookError}, and those of the work.
 */
export const runWorkbookWork = <T>(
  { server, state: { call, deadline } }: FastifyRequest,
  work: () => Promise<T>
): Promise<T> =>
  server.slots.heavyWork.run(slotOwnerOf(call.caller), work, deadline).catch((error) => {
    if (error instanceof NoSlot) throw tooManyWorkbooks()
    throw error instanceof WorkbookError ? workbookProblem(error.details, error) : error
  })

/**
 * The problem of a workbook that cannot be read. Its detail names the exceeded limit, the remedy,
 * and the location in the file.
 */
export function workbookProblem(
  { code, limit, location }: WorkbookErrorDetails,
  cause?: WorkbookError
): Problem {
  const { status, title, remedy } = workbookProblems[code]
  const sentences: readonly LocalizedText[] = [
    ...(limit === undefined ? [] : [fill(excelTexts.limit, { title, limit: formatNumber(limit) })]),
    remedy,
    ...(location ? [foundIn(location)] : [])
  ]
  const detail = inEachLanguage((language) => sentences.map((each) => each[language]).join(' '))
  return new Problem(status, code, title, detail, { cause })
}

const formatNumber = (value: number) => inEachLanguage((language) => value.toLocaleString(language))

function foundIn({ sheet, row = 0, cell }: WorkbookLocation): LocalizedText {
  if (cell) return fill(excelTexts.foundInCell, { sheet, cell })
  return row > 0 ? fill(excelTexts.foundInRow, { sheet, row }) : fill(excelTexts.foundInSheet, { sheet })
}
