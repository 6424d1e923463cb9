import type { Workbook } from './cells.js'
import { inChild, type Result } from './child-process.js'
import { gatherer, type Listener } from './gather.js'
import { usualLimits, type WorkbookLimits } from './limits.js'
import type { Mark } from './marks.js'
import { WorkbookRefusal } from './refusal.js'
import { type TakeTurn, turns } from './turns.js'

/** A file, or its path. */
export type WorkbookFile = Uint8Array | string

/** Reads and marks workbooks that anybody may have made, each in a process of its own. */
export interface Workbooks {
  /** @throws WorkbookRefusal */
  read(file: WorkbookFile): Promise<Workbook>
  /**
   * The workbook with the given cells coloured and commented, as .xlsx. What a program cannot keep, such as pictures and macros, is left
   * out; values, sheets and the widths of columns stay.
   * @throws WorkbookRefusal
   */
  mark(file: WorkbookFile, marks: readonly Mark[]): Promise<Buffer>
}

/** To be made once, since it is what bounds how many workbooks are worked on at the same time. */
export function createWorkbooks(given: Partial<WorkbookLimits> = {}): Workbooks {
  const limits = { ...usualLimits, ...given }
  const takeTurn = turns(limits)
  return {
    read: (file) => read(file, limits, takeTurn),
    mark: (file, marks) => mark(file, marks, limits, takeTurn)
  }
}

async function read(file: WorkbookFile, limits: WorkbookLimits, takeTurn: TakeTurn): Promise<Workbook> {
  const gathered = gatherer()
  await takeTurn((free) => inChild({ file, limits }, (result) => gather(result, gathered), free))
  return gathered.workbook()
}

function gather(result: Result, listener: Listener): void {
  if (result.kind === 'sheets') listener.sheets(result.sheets)
  else if (result.kind === 'beyond') listener.beyond(result.sheet, result.address)
  else if (result.kind === 'block') void listener.block(result.block)
}

async function mark(
  file: WorkbookFile,
  marks: readonly Mark[],
  limits: WorkbookLimits,
  takeTurn: TakeTurn
): Promise<Buffer> {
  const attempt = (isAnew: boolean) =>
    takeTurn(async (free) => {
      let marked: Uint8Array | undefined
      await inChild(
        { file, limits, marks, isAnew },
        (result) => {
          if (result.kind === 'file') marked = result.file
        },
        free
      )
      if (!marked) throw new WorkbookRefusal({ code: 'reader-failed' })
      return Buffer.from(marked.buffer, marked.byteOffset, marked.byteLength)
    })
  return attempt(false).catch((error) => {
    const isHeavy =
      error instanceof WorkbookRefusal && (error.code === 'too-slow' || error.code === 'too-much-memory')
    if (!isHeavy) throw error
    return attempt(true)
  })
}
