import type { Workbook } from './cells.js'
import { inChild, type Result } from './child-process.js'
import { gatherer, type Listener } from './gather.js'
import { usualLimits, type WorkbookLimits } from './limits.js'
import type { FaultList } from './marks.js'
import { WorkbookRefusal } from './refusal.js'

/** Reads and marks workbooks that anybody may have made, each in a process of its own. */
export interface Workbooks {
  /** @throws WorkbookRefusal */
  read(file: Uint8Array): Promise<Workbook>
  /**
   * Writes a copy of the workbook, .xlsx: its sheets with their values, and nothing else of it. Faulty cells are coloured and
   * commented, and a first sheet lists the faults.
   * @throws WorkbookRefusal
   */
  mark(file: Uint8Array, faults: FaultList): Promise<Buffer>
}

/** Each reads or marks in a process of its own; the caller bounds how many of them there are at once. */
export function createWorkbooks(given: Partial<WorkbookLimits> = {}): Workbooks {
  const limits = { ...usualLimits, ...given }
  return {
    read: (file) => read(file, limits),
    mark: (file, faults) => mark(file, faults, limits)
  }
}

async function read(file: Uint8Array, limits: WorkbookLimits): Promise<Workbook> {
  const gathered = gatherer()
  await inChild({ file, limits }, (result) => gather(result, gathered))
  return gathered.workbook()
}

function gather(result: Result, listener: Listener): void {
  if (result.kind === 'sheets') listener.sheets(result.sheets)
  else if (result.kind === 'texts') void listener.texts(result.texts)
  else if (result.kind === 'rows') void listener.rows(result.sheet, result.rows)
  else if (result.kind === 'beyond') listener.beyond(result.sheet, result.address)
}

async function mark(file: Uint8Array, faults: FaultList, limits: WorkbookLimits): Promise<Buffer> {
  let marked: Uint8Array | undefined
  await inChild({ file, limits, faults }, (result) => {
    if (result.kind === 'file') marked = result.file
  })
  if (!marked) throw new WorkbookRefusal({ code: 'reader-failed' })
  return Buffer.from(marked.buffer, marked.byteOffset, marked.byteLength)
}
