import type { WorkbookLimits } from './format/limits.js'
import { WorkbookError, type WorkbookErrorDetails } from './format/workbook-error.js'
import type { FaultList } from './marking/fault-sheet.js'
import type { Row, Sheet, Workbook } from './reading/cells.js'
import { readWorkbook } from './reading/read.js'

/** A workbook to read or to mark. */
export interface WorkbookTask {
  file: Uint8Array
  limits: WorkbookLimits
  /** Faults to mark. Without faults the workbook is read. */
  faults?: FaultList
}

/** A message with part of the result of a task. */
export type TaskResult =
  /** The next sheet. Its rows follow. */
  | { kind: 'sheet'; sheet: Omit<Sheet, 'rows'> }
  | { kind: 'rows'; rows: Row[] }
  | { kind: 'file'; file: Uint8Array }

/** A message of a task. The last message is `done` or `failed`. */
export type TaskMessage =
  | TaskResult
  | { kind: 'done' }
  | { kind: 'failed'; details: WorkbookErrorDetails; cause: string }

/**
 * Runs a task.
 * @param onResult receives the results as they arrive.
 * @throws WorkbookError
 */
export type RunTask = (task: WorkbookTask, onResult: (result: TaskResult) => void) => Promise<void>

/**
 * Characters of a message, which limits its duration. Each cell counts some additional characters.
 */
const MESSAGE_CHARACTERS = 131_072
const OVERHEAD_CHARACTERS = 32

/**
 * Reads or marks a workbook.
 * @param send receives the messages in order and resolves when a message is delivered. The last
 *   message is `done` or `failed`.
 */
export async function performTask(
  { file, limits, faults }: WorkbookTask,
  send: (message: TaskMessage) => Promise<void>
): Promise<void> {
  try {
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
    if (faults) {
      // Imported only here: loading exceljs takes longer than reading a workbook.
      const { markWorkbook } = await import('./marking/mark.js')
      await send({ kind: 'file', file: await markWorkbook(bytes, faults, limits) })
    } else for (const result of partsOf(await readWorkbook(bytes, limits))) await send(result)
  } catch (error) {
    return send(failed(error))
  }
  await send({ kind: 'done' })
}

function* partsOf({ sheets }: Workbook): Generator<TaskResult> {
  for (const { rows, ...sheet } of sheets) {
    yield { kind: 'sheet', sheet }
    let slice: Row[] = []
    let size = 0
    for (const row of rows) {
      slice.push(row)
      for (const { text } of row.cells) size += OVERHEAD_CHARACTERS + text.length
      if (size < MESSAGE_CHARACTERS) continue
      yield { kind: 'rows', rows: slice }
      slice = []
      size = 0
    }
    yield { kind: 'rows', rows: slice }
  }
}

/**
 * For an unexpected error only the name is sent, because the rest may contain content of the file.
 */
function failed(error: unknown): TaskMessage {
  const [details, cause] =
    error instanceof WorkbookError
      ? [error.details, error.cause]
      : [{ code: 'reader-failed' as const }, error]
  return { kind: 'failed', details, cause: cause instanceof Error ? cause.name : '' }
}
