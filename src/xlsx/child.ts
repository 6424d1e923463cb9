import type { WorkbookLimits } from './limits.js'
import type { Message, Task } from './messages.js'
import { open, readCells } from './read.js'
import { WorkbookRefusal } from './refusal.js'

/*
 * The program of the process that works on one workbook and ends. What it reads was made by anybody: whatever becomes of this
 * process, by memory or by time, is no harm to the one that serves requests.
 */

/** Sent one after the other, so that what is not taken yet does not pile up here. */
function send(message: Message): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()))
  })
}

async function read(bytes: Buffer, limits: WorkbookLimits): Promise<void> {
  await readCells(await open(bytes, limits), limits, {
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
      // Loads exceljs, which takes longer than reading a workbook does.
      const { mark } = await import('./mark.js')
      await send({ kind: 'file', file: await mark(bytes, faults, limits) })
    } else await read(bytes, limits)
    return { kind: 'done' }
  } catch (error) {
    return refusalOf(error)
  }
}

/** Of an error that is not meant to happen, only its name leaves: the rest may hold what is in the file. */
function refusalOf(error: unknown): Message {
  const [refusal, cause] =
    error instanceof WorkbookRefusal
      ? [error.facts, error.cause]
      : [{ code: 'reader-failed' as const }, error]
  return { kind: 'refusal', refusal, cause: cause instanceof Error ? cause.name : '' }
}

process.once('message', async (task: Task) => {
  await send(await work(task))
  process.disconnect()
})
// Nobody waits for the result any more.
process.once('disconnect', () => process.exit())
