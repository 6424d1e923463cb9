import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Writes a migration for changed tables, with the arguments of `drizzle-kit generate`. drizzle-kit
 * compares the tables with the last snapshot only, so the former ones are removed.
 */

const config = ['--config', 'drizzle/drizzle.config.ts', ...process.argv.slice(2)]
const { status } = spawnSync(join('node_modules', '.bin', 'drizzle-kit'), ['generate', ...config], {
  stdio: 'inherit'
})
const meta = join('drizzle', 'migrations', 'meta')
const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'))
for (const name of snapshots.toSorted().slice(0, -1)) rmSync(join(meta, name))
process.exitCode = status ?? 1
