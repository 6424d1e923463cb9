import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { contentOf, original } from './files.js'
import type { Mutant } from './mutants.js'

export type Verdict = 'killed' | 'survived' | 'not covered'

export interface Judged {
  mutant: Mutant
  verdict: Verdict
}

/** Where a mutant is in the source, and what it changes, on one line. */
export function describe(mutant: Mutant): string {
  const content = contentOf(mutant.file)
  const before = content.slice(mutant.start, mutant.end)
  return `${placeOf(mutant, content)} ${mutant.operator}: ${short(before)} → ${short(mutant.replacement)}`
}

const short = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line || 'nothing'
}

function placeOf({ file, start }: Mutant, content: string): string {
  const before = content.slice(0, start)
  const indent = /^\s*/.exec(content.slice(start))?.[0].length ?? 0
  const map = new SourceMap(JSON.parse(readFileSync(join(original, `${file}.map`), 'utf8')))
  const lines = before.split('\n')
  const entry = map.findEntry(lines.length - 1, (lines.at(-1)?.length ?? 0) + indent)
  const line = 'originalLine' in entry ? entry.originalLine + 1 : '?'
  return `${file.replace(/\.js$/, '.ts')}:${line}`
}

/** The score: killed mutants of all that were tried, those that no test runs included; for each file and in all. */
export function summary(judged: readonly Judged[]): string {
  const files = [...new Set(judged.map(({ mutant }) => mutant.file))].sort()
  const line = (name: string, of: readonly Judged[]) => {
    const killed = of.filter(({ verdict }) => verdict === 'killed').length
    return `${name.replace(/\.js$/, '.ts').padEnd(45)} ${String(killed).padStart(4)} of ${String(of.length).padStart(4)}  ${((100 * killed) / Math.max(1, of.length)).toFixed(0).padStart(3)} %`
  }
  return [
    ...files.map((file) =>
      line(
        file,
        judged.filter(({ mutant }) => mutant.file === file)
      )
    ),
    line('all', judged)
  ].join('\n')
}
