import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cache } from './database.js'
import { pgbenchScripts } from './pgbench/scripts.js'
import { onStand } from './stand.js'
import { circumstances, median, writeBetweenMarks } from './table.js'

/*
 * The best SQL without any server before it: `npm --prefix bench run pgbench -- [--scale=0.1] [--pairs=5] [--connections=8,32]
 * [--seconds=5] [--write]`. Needs pgbench, which is part of PostgreSQL.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    pairs: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8,32' },
    seconds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false }
  }
})
const scale = Number(values.scale)
const folder = join(cache, 'pgbench')

/** The newest pgbench of the system, where distributions keep it, or that of the path. */
function program(): string {
  const versions = '/usr/lib/postgresql'
  const found = (existsSync(versions) ? readdirSync(versions) : [])
    .map((version) => join(versions, version, 'bin', 'pgbench'))
    .filter((path) => existsSync(path))
  return found.at(-1) ?? 'pgbench'
}

function play(url: string, file: string, clients: number, length: readonly string[]): number {
  const { port, password, pathname } = new URL(url)
  const target = ['-h', '127.0.0.1', '-p', port, '-U', 'postgres']
  const how = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-f', file, ...length]
  const env = { PATH: process.env.PATH, PGPASSWORD: password }
  const output = execFileSync(program(), [...target, ...how, pathname.slice(1)], { encoding: 'utf8', env })
  return Number(/tps = ([\d.]+)/.exec(output)?.[1] ?? 0)
}

await onStand({ scale }, async ({ url, sql }) => {
  mkdirSync(folder, { recursive: true })
  const lines = ['| work | connections | transactions/s |', '|---|---|---|']
  for (const { work, name, title, transactions, text } of await pgbenchScripts(sql)) {
    const file = join(folder, `${name}.sql`)
    writeFileSync(file, text)
    for (const clients of values.connections.split(',').map(Number)) {
      const length =
        transactions === undefined
          ? ['-T', values.seconds]
          : ['-t', String(Math.floor(transactions / clients))]
      const rates: number[] = []
      for (let turn = 0; turn < Number(values.pairs); turn++) {
        rates.push(play(url, file, clients, length))
        await work.reset?.(sql)
      }
      lines.push(`| ${title} | ${clients} | ${Math.round(median(rates))} |`)
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  if (values.write) writeBetweenMarks('pgbench', [circumstances(scale), '', ...lines])
})
