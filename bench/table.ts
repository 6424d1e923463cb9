import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Result } from './contest.js'
import type { Measured } from './round.js'

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

const medianOf = (rounds: readonly Measured[], of: (round: Measured) => number) => median(rounds.map(of))

/** A line for each server in each work: medians, and what the product reaches of it in the same turns. */
export function resultTable(results: readonly Result[]): string[] {
  const lines = [
    '| work | connections | server | requests/s (least–most) | p50 ms | p99 ms | µs of processor, server | µs, PostgreSQL | product / it | p99 product / it |',
    '|---|---|---|---|---|---|---|---|---|---|'
  ]
  for (const { work, kind, connections, rounds, fault } of results) {
    if (fault !== undefined) {
      process.stderr.write(`${fault}\n`)
      lines.push(
        `| ${work.name.toUpperCase()} ${work.title} | ${connections} | ${kind.title} | fails |  |  |  |  |  |  |`
      )
      continue
    }
    const product = results.find(
      (each) => each.work === work && each.connections === connections && each.kind.name === 'product'
    )
    const rates = rounds.map((round) => round.perSecond)
    const of = (value: (round: Measured) => number) => medianOf(rounds, value)
    lines.push(
      `| ${[
        `${work.name.toUpperCase()} ${work.title}`,
        connections,
        kind.title,
        `${shown(median(rates))} (${shown(Math.min(...rates))}–${shown(Math.max(...rates))})`,
        shown(of((round) => round.p50)),
        shown(of((round) => round.p99)),
        of((round) => round.serverCost),
        of((round) => round.databaseCost),
        ratioTo(product, rounds, (round) => round.perSecond),
        ratioTo(product, rounds, (round) => round.p99)
      ].join(' | ')} |`
    )
  }
  return lines
}

/** Ratios within a turn are less at the mercy of what else the machine does than a ratio of medians. */
function ratioTo(product: Result | undefined, rounds: readonly Measured[], of: (round: Measured) => number) {
  if (!product || product.rounds === rounds) return ''
  const ratios = rounds.flatMap((round, turn) => {
    const other = product.rounds[turn]
    return other ? [of(other) / of(round)] : []
  })
  return median(ratios).toFixed(2)
}

const shown = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toString())

/** On what, and of what, figures are. */
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

/** Puts lines between the marks of this name in the README. */
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
