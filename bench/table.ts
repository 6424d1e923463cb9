import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Measured } from './round.js'
import type { BenchServerKind } from './servers.js'
import type { Workload } from './workloads/workload.js'

/** A round of each server, one after the other. */
export type Pair = readonly [Measured, Measured]

/** The result of two servers in one workload with a number of connections. */
export interface Comparison {
  workload: Workload
  /** The two servers compared. */
  kinds: readonly [BenchServerKind, BenchServerKind]
  connections: number
  pairs: Pair[]
  /** The reason it stopped early, if it did. */
  error: string | undefined
}

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

const columns = [
  'workload',
  'connections',
  'against',
  'requests/s (least–most)',
  'ratio',
  'p50 ms',
  'p99 ms',
  'ratio',
  'µs of processor, server',
  'µs, PostgreSQL'
]

/**
 * One line per pair of servers and workload: their medians, and the median of the ratios within
 * turns.
 */
export const comparisonTable = (comparisons: readonly Comparison[]): string[] => [
  `| ${columns.join(' | ')} |`,
  `|${'---|'.repeat(columns.length)}`,
  ...comparisons.map((each) => `| ${[...headOf(each), ...figuresOf(each)].join(' | ')} |`)
]

const headOf = ({ workload, connections, kinds }: Comparison) => [
  `${workload.name.toUpperCase()} ${workload.title}`,
  connections,
  kinds[1].title
]

/** Ratios within a turn depend less on other load of the machine than a ratio of medians. */
function figuresOf({ pairs, error }: Comparison): string[] {
  if (error !== undefined) {
    process.stderr.write(`${error}\n`)
    return ['fails', ...columns.slice(4).map(() => '')]
  }
  const both = (format: (rounds: Measured[]) => string) =>
    `${format(pairs.map(([one]) => one))} : ${format(pairs.map(([, other]) => other))}`
  const medians = (of: Figure) => both((rounds) => shown(median(rounds.map(of))))
  const ratio = (of: Figure) => median(pairs.map(([one, other]) => of(one) / of(other))).toFixed(2)
  return [
    both(ratesOf),
    ratio(({ perSecond }) => perSecond),
    medians(({ p50 }) => p50),
    medians(({ p99 }) => p99),
    ratio(({ p99 }) => p99),
    medians(({ serverCost }) => serverCost),
    medians(({ databaseCost }) => databaseCost)
  ]
}

type Figure = (round: Measured) => number

function ratesOf(rounds: readonly Measured[]): string {
  const rates = rounds.map(({ perSecond }) => perSecond)
  return `${shown(median(rates))} (${shown(Math.min(...rates))}–${shown(Math.max(...rates))})`
}

const shown = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toString())

/** The machine and the versions measured. */
export function circumstances(scale?: number): string {
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

/** Replaces the lines between the markers of this name in the README. */
export function writeBetweenMarks(name: string, lines: readonly string[]): void {
  const readme = join(import.meta.dirname, 'README.md')
  const text = readFileSync(readme, 'utf8')
  const marks = new RegExp(`(<!-- ${name} -->)[^]*(<!-- /${name} -->)`)
  if (!marks.test(text)) throw new Error(`bench/README.md has no marks ${name}.`)
  writeFileSync(
    readme,
    text.replace(marks, (_, begin, end) => `${begin}\n${lines.join('\n')}\n${end}`)
  )
}
