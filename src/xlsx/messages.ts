import type { WorkbookLimits } from './limits.js'
import type { FaultList } from './marks.js'
import type { RefusalFacts } from './refusal.js'
import type { SentRow } from './sent-row.js'

/** What the child process is to do. */
export interface Task {
  file: Uint8Array
  limits: WorkbookLimits
  /** The faults to mark; without them the workbook is read. */
  faults?: FaultList
}

/** What the child process sends; `done` or `refusal` comes last. */
export type Message =
  | { kind: 'sheets'; sheets: { name: string; isHidden: boolean }[] }
  /** Texts that cells share: each is sent once, and cells name it by its number. */
  | { kind: 'texts'; texts: string[] }
  | { kind: 'rows'; sheet: number; rows: SentRow[] }
  | { kind: 'beyond'; sheet: number; address: string }
  | { kind: 'file'; file: Uint8Array }
  | { kind: 'done' }
  | { kind: 'refusal'; refusal: RefusalFacts; cause: string }
