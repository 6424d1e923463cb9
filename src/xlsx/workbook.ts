import type { Workbook } from './cells.js'
import { inChild, type Result } from './child-process.js'
import { gatherer, type Listener } from './gather.js'
import { usualLimits, type WorkbookLimits } from './limits.js'
import type { Mark } from './marks.js'
import type { Task } from './messages.js'
import { WorkbookRefusal } from './refusal.js'

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

/** Each reads or marks in a process of its own; the caller bounds how many of them there are at once. */
export function createWorkbooks(given: Partial<WorkbookLimits> = {}): Workbooks {
  const limits = { ...usualLimits, ...given }
  return {
    read: (file) => read(file, limits),
    mark: (file, marks) => mark(file, marks, limits)
  }
}

async function read(file: Uint8Array, limits: WorkbookLimits): Promise<Workbook> {
  const gathered = gatherer()
  await inChild({ file, limits }, (result) => gather(result, gathered))
  return gathered.workbook()
}

function gather(result: Result, listener: Listener): void {
  if (result.kind === 'sheets') listener.sheets(result.sheets)
  else if (result.kind === 'beyond') listener.beyond(result.sheet, result.address)
  else if (result.kind === 'block') void listener.block(result.block)
}

/** First with all that is in the workbook; where that is too much, from its cells alone. Each has half of the time. */
async function mark(file: Uint8Array, marks: readonly Mark[], given: WorkbookLimits): Promise<Buffer> {
  const limits = { ...given, milliseconds: given.milliseconds / 2 }
  try {
    return await markedFile({ file, limits, marks })
  } catch (error) {
    const heavy = ['too-slow', 'too-much-memory']
    if (!(error instanceof WorkbookRefusal) || !heavy.includes(error.code)) throw error
    return markedFile({ file, limits, marks, isAnew: true })
  }
}

async function markedFile(task: Task): Promise<Buffer> {
  let marked: Uint8Array | undefined
  const onResult = (result: Result) => {
    if (result.kind === 'file') marked = result.file
  }
  await inChild(task, onResult)
  if (!marked) throw new WorkbookRefusal({ code: 'reader-failed' })
  return Buffer.from(marked.buffer, marked.byteOffset, marked.byteLength)
}
