import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { contentOf, ORIGINAL_FOLDER } from './files.js'
import type { Mutant } from './mutants.js'

export type MutantStatus = 'killed' | 'survived' | 'not covered'

export interface MutantResult {
  mutant: Mutant
  status: MutantStatus
  /** Number of tests that cover the mutant and did not fit into the time limit. */
  untried: number
}

/** The status, location and change of a mutant, on one line. */
export function describe({ mutant, status, untried }: MutantResult): string {
  const content = contentOf(mutant.file)
  const before = content.slice(mutant.start, mutant.end)
  const limit = untried > 0 ? ` (${untried} tests not tried)` : ''
  return `${status}${limit}: ${locationOf(mutant, content)} ${mutant.operator}: ${shorten(before)} → ${shorten(mutant.replacement)}`
}

const shorten = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line || 'nothing'
}

function locationOf({ file, start }: Mutant, content: string): string {
  const before = content.slice(0, start)
  const indent = /^\s*/.exec(content.slice(start))?.[0].length ?? 0
  const map = new SourceMap(JSON.parse(readFileSync(join(ORIGINAL_FOLDER, `${file}.map`), 'utf8')))
  const lines = before.split('\n')
  const entry = map.findEntry(lines.length - 1, (lines.at(-1)?.length ?? 0) + indent)
  const line = 'originalLine' in entry ? entry.originalLine + 1 : '?'
  return `${file.replace(/\.js$/, '.ts')}:${line}`
}

/** Killed mutants of all tried ones, including those that no test covers; per file and in total. */
export function summary(results: readonly MutantResult[]): string {
  const files = [...new Set(results.map(({ mutant }) => mutant.file))].sort()
  const line = (name: string, of: readonly MutantResult[]) => {
    const killed = of.filter(({ status }) => status === 'killed').length
    return `${name.replace(/\.js$/, '.ts').padEnd(45)} ${String(killed).padStart(4)} of ${String(of.length).padStart(4)}  ${((100 * killed) / Math.max(1, of.length)).toFixed(0).padStart(3)} %`
  }
  return [
    ...files.map((file) =>
      line(
        file,
        results.filter(({ mutant }) => mutant.file === file)
      )
    ),
    line('all', results)
  ].join('\n')
}
