import { runInChild } from './child-process.js'
import { defaultLimits, type WorkbookLimits } from './format/limits.js'
import { WorkbookError } from './format/workbook-error.js'
import type { FaultList } from './marking/fault-sheet.js'
import type { Sheet, Workbook } from './reading/cells.js'
import type { RunTask } from './task.js'

/** Reads and marks untrusted workbooks, each in a child process. */
export interface Workbooks {
  /** @throws WorkbookError */
  read(file: Uint8Array): Promise<Workbook>
  /**
   * Writes a copy of the workbook as .xlsx with its sheets and values only. Faulty cells are
   * coloured and commented, and a first sheet lists the faults.
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
    async read(file) {
      const sheets: Sheet[] = []
      await runTask({ file, limits }, (result) => {
        if (result.kind === 'sheet') sheets.push({ ...result.sheet, rows: [] })
        else if (result.kind === 'rows') sheets.at(-1)?.rows.push(...result.rows)
      })
      return { sheets }
    },
    async mark(file, faults) {
      let marked: Uint8Array | undefined
      await runTask({ file, limits, faults }, (result) => {
        if (result.kind === 'file') marked = result.file
      })
      if (!marked) throw new WorkbookError({ code: 'reader-failed' })
      return Buffer.from(marked.buffer, marked.byteOffset, marked.byteLength)
    }
  }
}
