import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the lines of a file of the build come from: see `scripts/line-table.ts`. */
export interface LineTable {
  sources: string[]
  /** The first line of each run of lines that follow each other in the source too. */
  runs: [line: number, source: number, sourceLine: number][]
}

const tables = new Map<string, LineTable | undefined>()

/**
 * A stack frame with its line in the source, `src/db/driver/pool.ts:12`, instead of its place in
 * the build. Node's own source maps take a second to read, and 70 MB.
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
    // The file is not of a build.
  }
  tables.set(file, table)
  return table
}
