import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { percentile } from './driver.js'

/** The options of the command line with their defaults, and `--write`. */
export function readOptions<Name extends string>(
  defaults: Readonly<Record<Name, string>>
): Record<Name, string> & { write: boolean } {
  const texts = Object.entries<string>(defaults).map(([name, value]) => [
    name,
    { type: 'string', default: value }
  ])
  const options = { ...Object.fromEntries(texts), write: { type: 'boolean', default: false } }
  return parseArgs({ options }).values as Record<Name, string> & { write: boolean }
}

/** A table in Markdown with columns such as `name | count`. Rows are printed as they are added. */
export function startTable(columns: string) {
  const lines: string[] = []
  const print = (line: string) => {
    lines.push(line)
    process.stdout.write(`${line}\n`)
  }
  print(`| ${columns} |`)
  print(`|${'---|'.repeat(columns.split('|').length)}`)
  return { lines, add: (...cells: readonly (string | number)[]) => print(`| ${cells.join(' | ')} |`) }
}

/** A number of at most three digits. */
export const formatNumber = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toString())

/** The median, and the least and the greatest of the values. */
export const medianAndRange = (values: readonly number[]): string =>
  `${formatNumber(percentile(values, 0.5))} (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`

/** The machine and the versions measured. */
function circumstances(scale?: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const [processor] = cpus()
  const memory = Number(/MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0)
  return [
    `${cpus().length} × ${processor?.model.trim()}, ${Math.round(memory / 1_048_576)} GB`,
    `load average of 15 minutes ${loadavg()[2]?.toFixed(1)}`,
    `Node ${process.versions.node}, the embedded PostgreSQL`,
    ...(scale === undefined ? [] : [`scale ${scale}`]),
    `${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}`
  ].join('; ')
}

/** Replaces the table between the markers of this name in the README, if `write` is set. */
export function writeToReadme(
  name: string,
  { write, scale }: { write: boolean; scale?: string },
  { lines }: { lines: readonly string[] }
): void {
  if (!write) return
  const readme = join(import.meta.dirname, 'README.md')
  const text = readFileSync(readme, 'utf8')
  const marks = new RegExp(`(<!-- ${name} -->)[^]*(<!-- /${name} -->)`)
  if (!marks.test(text)) throw new Error(`bench/README.md has no marks ${name}.`)
  const content = `${circumstances(scale)}\n\n${lines.join('\n')}`
  writeFileSync(
    readme,
    text.replace(marks, (_, begin, end) => `${begin}\n${content}\n${end}`)
  )
}
