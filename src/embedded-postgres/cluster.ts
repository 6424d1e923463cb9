import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, changeOwner } from './account.js'
import { type DataLayout, layoutOf } from './layout.js'
import { type Binaries, programPath, runProgram } from './programs.js'

/** The superuser, which the application uses. */
export const SUPERUSER = 'postgres'

export interface ServerSetup {
  layout: DataLayout
  binaries: Binaries
  account: Account | undefined
  settings: Readonly<Record<string, string>>
}

/** Prefix of the folders of clusters that are not complete. */
const PARTIAL_PREFIX = 'initializing-'

/**
 * Creates the database cluster if it does not exist. The cluster is created in a temporary folder
 * that gets its final name when complete, so an interruption leaves either no cluster or a complete
 * one.
 * @throws Error if another major version of PostgreSQL made the existing cluster.
 */
export async function ensureCluster(setup: ServerSetup): Promise<void> {
  const { layout, account } = setup
  for (const name of await readdir(layout.root))
    if (name.startsWith(PARTIAL_PREFIX)) await removeFolder(join(layout.root, name))
  if (!existsSync(layout.cluster)) return createCluster(setup)
  await assertReadable(setup)
  // A copy by root belongs to root, and PostgreSQL requires that its user owns the data.
  if (account && (await stat(layout.data)).uid === 0) await changeOwner(layout.cluster, account)
}

/**
 * The path of the data directory that PostgreSQL can use. The path is also the working directory of
 * PostgreSQL.
 */
export function dataPathForServer({ layout, account }: ServerSetup): string {
  // The user may have no access to parent folders. The working directory is set before the user
  // changes, and this path needs no access to any of them.
  return account && process.platform === 'linux' ? '/proc/self/cwd' : layout.data
}

async function assertReadable({ layout: { root, data }, binaries }: ServerSetup): Promise<void> {
  const former = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  const [current] = binaries.version.split('.')
  if (former === current) return
  throw new Error(
    `PostgreSQL ${former} made the database in ${root}, and this program includes PostgreSQL ${current}, which cannot ` +
      'read it: set DATA_DIR to another folder, or start the version of this program that made it.'
  )
}

async function createCluster(setup: ServerSetup): Promise<void> {
  const { root, cluster } = setup.layout
  const folder = await mkdtemp(join(root, PARTIAL_PREFIX))
  try {
    await fillCluster({ ...setup, layout: layoutOf(root, folder) })
    await rename(folder, cluster)
  } catch (error) {
    await removeFolder(folder)
    throw error
  }
}

async function fillCluster(setup: ServerSetup): Promise<void> {
  const { layout, binaries, account, settings } = setup
  await mkdir(layout.data, { mode: 0o700 })
  await writeFile(layout.password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
  await changeOwner(layout.cluster, account)
  const data = dataPathForServer(setup)
  const args = [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${data}/../password`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Independent of the locales of the operating system, which may be missing or change.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(settings.fsync === 'off' ? ['--no-sync'] : [])
  ]
  try {
    await runProgram(programPath(binaries, 'initdb'), args, { cwd: layout.data, account })
  } catch (error) {
    throw new Error(`PostgreSQL could not create a database in ${layout.root}:\n${(error as Error).message}`)
  }
}

/** Retries, because an initdb that outlived its parent may still create files. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
