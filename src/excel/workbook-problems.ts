import { fill, inEachLanguage, type Words } from '../platform/errors/language.js'
import { Problem } from '../platform/errors/problem.js'
import type {
  WorkbookError,
  WorkbookErrorCode,
  WorkbookErrorDetails,
  WorkbookLocation
} from '../xlsx/format/workbook-error.js'
import { exceededLimits, excelTexts, workbookProblems } from './texts.js'

/**
 * The problem of a workbook that cannot be read. Its detail says which limit is exceeded, what to
 * do, and where in the file.
 */
export function workbookProblem(
  { code, limit = 0, location }: WorkbookErrorDetails,
  cause?: WorkbookError
): Problem {
  const { status, title, remedy } = workbookProblems[code]
  const sentences: readonly Words[] = [
    ...(isLimit(code) ? [fill(exceededLimits[code], { limit: formatNumber(limit) })] : []),
    remedy,
    ...(location ? [foundIn(location)] : [])
  ]
  const detail = inEachLanguage((language) => sentences.map((each) => each[language]).join(' '))
  return new Problem(status, code, title, detail, { cause })
}

const isLimit = (code: WorkbookErrorCode): code is keyof typeof exceededLimits => code in exceededLimits

const formatNumber = (value: number) => inEachLanguage((language) => value.toLocaleString(language))

function foundIn({ sheet, row = 0, cell }: WorkbookLocation): Words {
  if (cell) return fill(excelTexts.foundInCell, { sheet, cell })
  return row > 0 ? fill(excelTexts.foundInRow, { sheet, row }) : fill(excelTexts.foundInSheet, { sheet })
}
