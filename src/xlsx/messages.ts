import type { Block } from './blocks.js'
import type { WorkbookLimits } from './limits.js'
import type { Mark } from './marks.js'
import type { RefusalFacts } from './refusal.js'

/** What the child process is to do. */
export interface Task {
  file: Uint8Array
  limits: WorkbookLimits
  /** The cells to mark; where there are none, the workbook is read. */
  marks?: readonly Mark[]
  /** Whether to write the marked workbook anew from its cells, rather than change the one that was sent. */
  isAnew?: boolean
}

/** What the child process says; `done` or `refusal` comes last. */
export type Message =
  | { kind: 'sheets'; sheets: { name: string; isHidden: boolean }[] }
  | { kind: 'block'; block: Block }
  | { kind: 'beyond'; sheet: number; address: string }
  | { kind: 'file'; file: Uint8Array }
  | { kind: 'done' }
  | { kind: 'refusal'; refusal: RefusalFacts; cause: string }
