import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from './arguments.js'

const { values } = readArguments(
  `npm run db:generate -- [--name <name>] [--custom] [--baseline]

Writes a migration for changed tables.
  --name      name of the migration
  --custom    writes a migration without statements
  --baseline  prints the statements instead, which a developer then adds to the baseline`,
  { options: { name: { type: 'string' }, custom: { type: 'boolean' }, baseline: { type: 'boolean' } } }
)

// drizzle-kit compares the tables with the last snapshot only, which is stored in one line.
const folder = join('drizzle', 'migrations')
const meta = join(folder, 'meta')
const journal = join(meta, '_journal.json')
const before = { files: new Set(readdirSync(folder)), journal: readFileSync(journal) }

const isBaseline = values.baseline ?? false
const args = [
  ...(values.name === undefined ? [] : ['--name', values.name]),
  ...(values.custom ? ['--custom'] : [])
]
const command = ['generate', '--config', join('drizzle', 'drizzle.config.ts'), ...args]
const { status } = spawnSync(join('node_modules', '.bin', 'drizzle-kit'), command, { stdio: 'inherit' })
process.exitCode = status ?? 1

if (isBaseline) {
  for (const name of readdirSync(folder).filter((each) => !before.files.has(each))) {
    process.stdout.write(`${readFileSync(join(folder, name), 'utf8')}\n`)
    rmSync(join(folder, name))
  }
  writeFileSync(journal, before.journal)
}

const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'))
const last = snapshots.toSorted().at(-1) ?? ''
const text = readFileSync(join(meta, last), 'utf8')
for (const name of snapshots) rmSync(join(meta, name))
writeFileSync(join(meta, isBaseline ? '0000_snapshot.json' : last), `${JSON.stringify(JSON.parse(text))}\n`)
