import type { WorkbookLimits } from './format/limits.js'
import type { WorkbookErrorDetails } from './format/workbook-error.js'
import type { FaultList } from './marking/marks.js'
import type { EncodedRow } from './reading/row-encoding.js'

/** A task for the child process. */
export interface Task {
  file: Uint8Array
  limits: WorkbookLimits
  /** Faults to mark. Without them the workbook is read. */
  faults?: FaultList
}

/** A message from the child process. The last one is `done` or `failed`. */
export type Message =
  | { kind: 'sheets'; sheets: { name: string; isHidden: boolean }[] }
  /** Shared strings. Each is sent once; cells refer to it by index. */
  | { kind: 'texts'; texts: string[] }
  | { kind: 'rows'; sheet: number; rows: EncodedRow[] }
  | { kind: 'beyond'; sheet: number; address: string }
  | { kind: 'file'; file: Uint8Array }
  | { kind: 'done' }
  | { kind: 'failed'; details: WorkbookErrorDetails; cause: string }
