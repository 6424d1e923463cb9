import type { WorkbookLimits } from './format/limits.js'
import { WorkbookError } from './format/workbook-error.js'
import type { Message, Task } from './messages.js'
import { openWorkbook, readCells } from './reading/read.js'

/*
 * The program of the child process: one task, then exit. The workbook is untrusted, so running out
 * of memory or time here must not affect the process that serves requests.
 */

/** Resolves when the message is delivered, so that awaiting it bounds the queue. */
function send(message: Message): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()))
  })
}

async function read(bytes: Buffer, limits: WorkbookLimits): Promise<void> {
  await readCells(await openWorkbook(bytes, limits), limits, {
    sheets: (sheets) => void send({ kind: 'sheets', sheets }),
    texts: (texts) => send({ kind: 'texts', texts }),
    rows: (sheet, rows) => send({ kind: 'rows', sheet, rows }),
    beyond: (sheet, address) => void send({ kind: 'beyond', sheet, address })
  })
}

async function work({ file, limits, faults }: Task): Promise<Message> {
  try {
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
    if (faults) {
      // Imported only here: loading exceljs takes longer than reading a workbook.
      const { markWorkbook } = await import('./marking/mark.js')
      await send({ kind: 'file', file: await markWorkbook(bytes, faults, limits) })
    } else await read(bytes, limits)
    return { kind: 'done' }
  } catch (error) {
    return failed(error)
  }
}

/** Of an unexpected error only the name is sent: the rest may hold content of the file. */
function failed(error: unknown): Message {
  const [details, cause] =
    error instanceof WorkbookError
      ? [error.details, error.cause]
      : [{ code: 'reader-failed' as const }, error]
  return { kind: 'failed', details, cause: cause instanceof Error ? cause.name : '' }
}

process.once('message', async (task: Task) => {
  await send(await work(task))
  process.disconnect()
})
// The parent no longer waits for the result.
process.once('disconnect', () => process.exit())
