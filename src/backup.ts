import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { getTableName } from 'drizzle-orm'
import { auditEvents } from './audit/tables.js'
import { migrate } from './db/migrate.js'
import { traceLines } from './order/store/tables.js'
import { loadDatabaseConfig } from './settings/load.js'

/** Tables to which rows are only added. */
const appendOnly = [traceLines, auditEvents].map(getTableName)

const print = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Copies the embedded database to a new folder while the program does not run.
 * @throws Error with a message that tells what to do.
 */
export async function runBackup(args: readonly string[]): Promise<void> {
  const { folder } = parse(args, [], 'npm run backup -- <new folder>')
  const dataDir = embeddedFolder()
  const { backUpDatabase } = await import('./embedded-postgres/index.js')
  const { rows } = await backUpDatabase({ dataDir, target: folder, tables: appendOnly, log: print })
  print(`The database in ${dataDir} is copied to ${resolve(folder)}: ${describe(rows)}.`)
}

/**
 * Restores the embedded database from a backup while the program does not run.
 * @throws Error with a message that tells what to do.
 */
export async function runRestore(args: readonly string[]): Promise<void> {
  const { folder, old } = parse(
    args,
    ['old'],
    'npm run restore -- <folder of a backup> [--old <new folder for the present database>]'
  )
  const dataDir = embeddedFolder()
  const { restoreDatabase } = await import('./embedded-postgres/index.js')
  const { rows, createdAt } = await restoreDatabase({ source: folder, dataDir, old, log: print })
  print(`The database in ${dataDir} is that of ${createdAt}: ${describe(rows)}.`)
  if (old !== undefined) print(`The former one is in ${resolve(old)}; DATA_DIR can name it.`)
}

/**
 * Moves the embedded database to the major version of PostgreSQL that this program includes.
 * @throws Error with a message that tells what to do.
 */
export async function runUpgrade(args: readonly string[]): Promise<void> {
  const usage =
    'npm run upgrade -- --from <folder of the former PostgreSQL> --old <new folder for the present database>'
  const { from, old } = parse(args, ['from', 'old'], usage, 0)
  if (from === undefined || old === undefined) throw new Error(`Usage: ${usage}`)
  const dataDir = embeddedFolder()
  const { upgradeDatabase } = await import('./embedded-postgres/index.js')
  await upgradeDatabase({ dataDir, from, old, migrate, log: print })
  print(`The database in ${dataDir} is upgraded. The former one is in ${resolve(old)}, unchanged.`)
}

function embeddedFolder(): string {
  const { url, dataDir } = loadDatabaseConfig()
  if (url !== undefined)
    throw new Error(
      'DATABASE_URL is set, and this command is for the embedded database. Use the tools of PostgreSQL for yours, see docs/operations/backup.md.'
    )
  return resolve(dataDir)
}

const describe = (rows: Readonly<Record<string, number>>) =>
  Object.entries(rows)
    .map(([table, count]) => `${count} rows in ${table}`)
    .join(', ')

type Options = { folder: string } & Partial<Record<'old' | 'from', string>>

function parse(args: readonly string[], options: readonly string[], usage: string, folders = 1): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(options.map((name) => [name, { type: 'string' as const }]))
    })
    if (positionals.length === folders) return { ...values, folder: positionals[0] ?? '' }
  } catch {
    // Node's text names no example.
  }
  throw new Error(`Usage: ${usage}`)
}
