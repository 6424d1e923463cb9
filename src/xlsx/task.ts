import type { WorkbookLimits } from './format/limits.js'
import { WorkbookError } from './format/workbook-error.js'
import type { Message, Result, Task } from './messages.js'
import { openWorkbook, readCells } from './reading/read.js'

/**
 * Reads or marks a workbook.
 * @param send receives the messages in order and resolves when one is delivered, so that awaiting
 *   it bounds the queue. The last message is `done` or `failed`.
 */
export async function performTask(task: Task, send: (message: Message) => Promise<void>): Promise<void> {
  await send(await outcomeOf(task, send))
}

type Send = (result: Result) => Promise<void>

async function outcomeOf({ file, limits, faults }: Task, send: Send): Promise<Message> {
  try {
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
    if (faults) {
      // Imported only here: loading exceljs takes longer than reading a workbook.
      const { markWorkbook } = await import('./marking/mark.js')
      await send({ kind: 'file', file: await markWorkbook(bytes, faults, limits) })
    } else await read(bytes, limits, send)
    return { kind: 'done' }
  } catch (error) {
    return failed(error)
  }
}

async function read(bytes: Buffer, limits: WorkbookLimits, send: Send): Promise<void> {
  await readCells(await openWorkbook(bytes, limits), limits, {
    sheets: (sheets) => void send({ kind: 'sheets', sheets }),
    texts: (texts) => send({ kind: 'texts', texts }),
    rows: (sheet, rows) => send({ kind: 'rows', sheet, rows }),
    beyond: (sheet, address) => void send({ kind: 'beyond', sheet, address })
  })
}

/** Of an unexpected error only the name is sent: the rest may hold content of the file. */
function failed(error: unknown): Message {
  const [details, cause] =
    error instanceof WorkbookError
      ? [error.details, error.cause]
      : [{ code: 'reader-failed' as const }, error]
  return { kind: 'failed', details, cause: cause instanceof Error ? cause.name : '' }
}
