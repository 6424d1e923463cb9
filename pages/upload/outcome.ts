import { NoResponseError, ProblemError } from '../../clients/typescript/src/index.js'
import type { ImportResult } from '../../src/excel/schemas.js'
import { errorText } from '../parts/errors.js'
import { upload, type Workbook, type WorkbookProblem } from './requests.js'
import { uploadText } from './upload-texts.js'

export type StepName = 'check' | 'import'

/** The result of a check or an import. */
export type Outcome = { report: ImportResult } | { text: () => string; problem?: WorkbookProblem }

/** Checks or imports a workbook. Never rejects. */
export async function outcomeOf(
  step: StepName,
  workbook: Workbook,
  id: string | undefined,
  isConfirmed: boolean
): Promise<Outcome> {
  const query = {
    dryRun: String(step === 'check'),
    ...(isConfirmed && id !== undefined && { confirm: 'true' })
  }
  try {
    return { report: await upload(workbook, id, query) }
  } catch (error) {
    // The import may have been committed if the connection or a proxy failed.
    if (step === 'import' && error instanceof NoResponseError)
      return { text: () => uploadText('unknownOutcome') }
    const problem = error instanceof ProblemError ? (error.problem as WorkbookProblem) : undefined
    return { text: () => errorText(error), ...(problem && { problem }) }
  }
}

/** Whether a workbook was checked and has faults. */
export const faultsIn = (outcome: Outcome | undefined): WorkbookProblem | undefined =>
  outcome && 'problem' in outcome && outcome.problem?.faults ? outcome.problem : undefined
