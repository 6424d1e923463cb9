import type { WorkbookLimits } from './format/limits.js'
import type { WorkbookErrorDetails } from './format/workbook-error.js'
import type { FaultList } from './marking/marks.js'
import type { EncodedRow } from './reading/row-encoding.js'

/** A workbook to read or to mark. */
export interface Task {
  file: Uint8Array
  limits: WorkbookLimits
  /** Faults to mark. Without them the workbook is read. */
  faults?: FaultList
}

/** A message of a task. The last one is `done` or `failed`. */
export type Message =
  | { kind: 'sheets'; sheets: { name: string; isHidden: boolean }[] }
  /** Shared strings. Each is sent once; cells refer to it by index. */
  | { kind: 'texts'; texts: string[] }
  | { kind: 'rows'; sheet: number; rows: EncodedRow[] }
  | { kind: 'beyond'; sheet: number; address: string }
  | { kind: 'file'; file: Uint8Array }
  | { kind: 'done' }
  | { kind: 'failed'; details: WorkbookErrorDetails; cause: string }

/** A message with (part of) the result of a task. */
export type Result = Exclude<Message, { kind: 'done' | 'failed' }>

/**
 * Runs a task.
 * @param onResult receives the results as they arrive.
 * @throws WorkbookError
 */
export type RunTask = (task: Task, onResult: (result: Result) => void) => Promise<void>
