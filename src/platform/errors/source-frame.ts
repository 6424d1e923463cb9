import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The source maps of the files of a build. Undefined for a file without one. */
const maps = new Map<string, SourceMap | undefined>()

/**
 * A stack frame with its place in the source, `src/db/driver/pool.ts:12:3`, instead of its place in
 * the bundle. Node maps frames only with an option that reads all maps at the start.
 */
export const sourceFrame = (frame: string): string =>
  frame.replace(/(file:\S+\.js):(\d+):(\d+)/, (place, file: string, line: string, column: string) => {
    const map = maps.has(file) ? maps.get(file) : readMap(file)
    const found = map?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!found || !('originalSource' in found)) return place
    const source = found.originalSource.replace(/^(\.\.\/)+/, '')
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`
  })

function readMap(file: string): SourceMap | undefined {
  let map: SourceMap | undefined
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')))
  } catch {
    // The file was not bundled.
  }
  maps.set(file, map)
  return map
}
