import type { Workbook } from './cells.js'
import { inChild, type Result } from './child-process.js'
import { gatherer, type Listener } from './gather.js'
import { usualLimits, type WorkbookLimits } from './limits.js'
import type { Mark } from './marks.js'
import type { Task } from './messages.js'
import { WorkbookRefusal } from './refusal.js'
import { type TakeTurn, turns } from './turns.js'

/** Reads and marks workbooks that anybody may have made, each in a process of its own. */
export interface Workbooks {
  /** @throws WorkbookRefusal */
  read(file: Uint8Array): Promise<Workbook>
  /**
   * The workbook with the given cells coloured and commented, as .xlsx. What a program cannot keep, such as pictures and macros, is left
   * out; values, sheets and the widths of columns stay.
   * @throws WorkbookRefusal
   */
  mark(file: Uint8Array, marks: readonly Mark[]): Promise<Buffer>
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

async function read(file: Uint8Array, limits: WorkbookLimits, takeTurn: TakeTurn): Promise<Workbook> {
  const gathered = gatherer()
  await takeTurn((free) => inChild({ file, limits }, (result) => gather(result, gathered), free))
  return gathered.workbook()
}

function gather(result: Result, listener: Listener): void {
  if (result.kind === 'sheets') listener.sheets(result.sheets)
  else if (result.kind === 'beyond') listener.beyond(result.sheet, result.address)
  else if (result.kind === 'block') void listener.block(result.block)
}

/** First with all that is in the workbook; where that is too much, from its cells alone. Each has half of the time. */
function mark(
  file: Uint8Array,
  marks: readonly Mark[],
  given: WorkbookLimits,
  takeTurn: TakeTurn
): Promise<Buffer> {
  const limits = { ...given, milliseconds: given.milliseconds / 2 }
  return takeTurn(async (free) => {
    try {
      return await markedFile({ file, limits, marks })
    } catch (error) {
      const heavy = ['too-slow', 'too-much-memory']
      if (!(error instanceof WorkbookRefusal) || !heavy.includes(error.code)) throw error
      return await markedFile({ file, limits, marks, isAnew: true })
    } finally {
      free()
    }
  })
}

async function markedFile(task: Task): Promise<Buffer> {
  let marked: Uint8Array | undefined
  const onResult = (result: Result) => {
    if (result.kind === 'file') marked = result.file
  }
  await inChild(task, onResult, () => {})
  if (!marked) throw new WorkbookRefusal({ code: 'reader-failed' })
  return Buffer.from(marked.buffer, marked.byteOffset, marked.byteLength)
}
