import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An error for the log: its name, codes and stack frames. Messages may contain patient data. */
export function redactError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, constraint_name: constraint } = error as { code?: unknown; constraint_name?: unknown }
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    frames: framesOf(error),
    ...(error.cause === undefined ? {} : { cause: redactError(error.cause) })
  }
}

/** The first two stack frames above a function, outside the logger's package. */
export function callSite(below: (...args: never[]) => unknown): string[] {
  const at = new Error('call site')
  Error.captureStackTrace(at, below)
  return framesOf(at)
    .filter((frame) => !frame.includes('/pino/'))
    .slice(0, 2)
}

function framesOf(error: Error): string[] {
  const stack = error.stack ?? ''
  const end = stack.indexOf(error.message)
  // A stack that does not contain the message cannot be cut safely.
  if (end < 0) return []
  return stack
    .slice(end + error.message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8)
    .map(sourceFrame)
}

/** The source lines of a file of the build: see `scripts/line-table.ts`. */
export interface LineTable {
  sources: string[]
  /** The first line of each run of lines that are also consecutive in the source. */
  runs: [line: number, source: number, sourceLine: number][]
}

const tables = new Map<string, LineTable | undefined>()

/**
 * A stack frame with its line in the source instead of the build. Node's own source maps take a
 * second to read, and 70 MB.
 */
export const sourceFrame = (frame: string): string =>
  frame.replace(/(file:\S+\.js):(\d+):\d+/, (place, file: string, line: string) => {
    const table = tables.has(file) ? tables.get(file) : readTable(file)
    const run = table?.runs.findLast(([first]) => first <= Number(line))
    if (!table || !run) return place
    const [first, source, sourceLine] = run
    return `${table.sources[source]}:${sourceLine + Number(line) - first}`
  })

function readTable(file: string): LineTable | undefined {
  let table: LineTable | undefined
  try {
    table = JSON.parse(readFileSync(`${fileURLToPath(file)}.lines.json`, 'utf8'))
  } catch {
    // The file does not belong to a build.
  }
  tables.set(file, table)
  return table
}
