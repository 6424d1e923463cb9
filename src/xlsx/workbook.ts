import { runInChild } from './child-process.js'
import { defaultLimits, type WorkbookLimits } from './format/limits.js'
import { WorkbookError } from './format/workbook-error.js'
import type { FaultList } from './marking/marks.js'
import type { Result, RunTask } from './messages.js'
import type { Workbook } from './reading/cells.js'
import { createWorkbookBuilder, type WorkbookListener } from './reading/workbook-builder.js'

/** Reads and marks untrusted workbooks, each in a child process. */
export interface Workbooks {
  /** @throws WorkbookError */
  read(file: Uint8Array): Promise<Workbook>
  /**
   * Writes a copy of the workbook as .xlsx that holds only its sheets and their values. Faulty
   * cells are coloured and commented, and a first sheet lists the faults.
   * @throws WorkbookError
   */
  mark(file: Uint8Array, faults: FaultList): Promise<Buffer>
}

/**
 * The caller bounds how many tasks run at once.
 * @param runTask by default starts a child process per task.
 */
export function createWorkbooks(
  overrides: Partial<WorkbookLimits> = {},
  runTask: RunTask = runInChild
): Workbooks {
  const limits = { ...defaultLimits, ...overrides }
  return {
    read: (file) => read(file, limits, runTask),
    mark: (file, faults) => mark(file, faults, limits, runTask)
  }
}

async function read(file: Uint8Array, limits: WorkbookLimits, runTask: RunTask): Promise<Workbook> {
  const builder = createWorkbookBuilder()
  await runTask({ file, limits }, (result) => forward(result, builder))
  return builder.workbook()
}

function forward(result: Result, listener: WorkbookListener): void {
  if (result.kind === 'sheets') listener.sheets(result.sheets)
  else if (result.kind === 'texts') void listener.texts(result.texts)
  else if (result.kind === 'rows') void listener.rows(result.sheet, result.rows)
  else if (result.kind === 'beyond') listener.beyond(result.sheet, result.address)
}

async function mark(
  file: Uint8Array,
  faults: FaultList,
  limits: WorkbookLimits,
  runTask: RunTask
): Promise<Buffer> {
  let marked: Uint8Array | undefined
  await runTask({ file, limits, faults }, (result) => {
    if (result.kind === 'file') marked = result.file
  })
  if (!marked) throw new WorkbookError({ code: 'reader-failed' })
  return Buffer.from(marked.buffer, marked.byteOffset, marked.byteLength)
}
