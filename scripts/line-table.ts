import { SourceMap, type SourceMapPayload } from 'node:module'
import type { LineTable } from '../src/platform/errors/redact-error.js'

/**
 * Reduces the source map of a file to the lines that the server logs in stack frames.
 * @param lines the number of lines of the file.
 */
export function lineTable(payload: SourceMapPayload, lines: number): LineTable {
  const map = new SourceMap(payload)
  const sources: string[] = []
  const runs: LineTable['runs'] = []
  let expected = ''
  for (let line = 0; line < lines; line++) {
    // The last entry before the end of the line, which may be on an earlier line.
    const entry = map.findEntry(line, Number.MAX_SAFE_INTEGER)
    if (!('originalSource' in entry) || entry.generatedLine !== line) continue
    const source = entry.originalSource.replace(/^(\.\.\/)+/, '')
    const at = sources.includes(source) ? sources.indexOf(source) : sources.push(source) - 1
    const sourceLine = entry.originalLine + 1
    if (expected !== `${at} ${line} ${sourceLine}`) runs.push([line + 1, at, sourceLine])
    expected = `${at} ${line + 1} ${sourceLine + 1}`
  }
  return { sources, runs }
}
