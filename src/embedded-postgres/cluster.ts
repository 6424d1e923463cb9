import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { changeOwner } from './account.js'
import { createFile, statOrUndefined, syncFolder } from './files.js'
import { type DataLayout, layoutOf } from './layout.js'
import { stopOrphan } from './orphan.js'
import type { Account } from './passwd.js'
import { type Binaries, lastLines, programPath, runProgram } from './run.js'

/** The superuser, which the application uses. */
export const SUPERUSER = 'postgres'

/** Options for creating a cluster. */
export interface ClusterSetup {
  layout: DataLayout
  binaries: Binaries
  account: Account | undefined
  /** False skips the final sync to disk, for data that need not survive a crash of the machine. */
  durable: boolean
  log: (message: string) => void
}

/** Prefixes of the folders of clusters that are not complete. */
const PARTIAL_PREFIXES = { created: 'initializing-', restored: 'restoring-' } as const

/**
 * Creates the database cluster if it does not exist. It is created in a temporary folder that gets
 * its final name when complete, so an interruption leaves either no cluster or a complete one.
 */
export async function ensureCluster(setup: ClusterSetup): Promise<void> {
  const { layout, account } = setup
  await settleInterrupted(setup)
  if (!(await statOrUndefined(layout.cluster))) return createCluster(setup)
  const { uid } = await stat(layout.data)
  // A backup restored by root is owned by root, and PostgreSQL requires its user to own the data.
  if (account && uid === 0) await changeOwner(layout.cluster, account)
}

/**
 * Finishes or discards what a kill interrupted: a replacement takes the place of a cluster that has
 * been moved away, and everything else that is not complete is removed. Only for the owner of the
 * data folder.
 */
export async function settleInterrupted({ layout, binaries, log }: ClusterSetup): Promise<void> {
  const isReplaced = !(await statOrUndefined(layout.cluster)) && (await statOrUndefined(layout.replacement))
  if (isReplaced) {
    log(`Finishing the interrupted replacement of the database in ${layout.root}`)
    await rename(layout.replacement, layout.cluster)
    await syncFolder(layout.root)
  } else await removeFolder(layout.replacement)
  for (const name of await readdir(layout.root)) {
    if (!Object.values(PARTIAL_PREFIXES).some((prefix) => name.startsWith(prefix))) continue
    // A killed process may have left a server on it.
    await stopOrphan(join(layout.root, name, 'data'), binaries, log)
    await removeFolder(join(layout.root, name))
  }
}

/** The folder of a cluster that is being restored. It is removed unless it gets another name. */
export async function withPartialCluster<Result>(
  layout: DataLayout,
  use: (partial: DataLayout) => Promise<Result>
): Promise<Result> {
  const folder = await mkdtemp(join(layout.root, PARTIAL_PREFIXES.restored))
  try {
    return await use(layoutOf(layout.root, folder))
  } finally {
    await removeFolder(folder)
  }
}

/** Reads the superuser's password, which was created with the cluster. */
export async function readPassword(layout: DataLayout): Promise<string> {
  return (await readFile(layout.password, 'utf8')).trim()
}

/** The path of the data directory that PostgreSQL can use. It is also its working directory. */
export function dataPathForServer(data: string, account: Account | undefined): string {
  // The user may have no access to parent folders. The working directory is set before the user
  // changes, and this path needs no access to any of them.
  return account && process.platform === 'linux' ? '/proc/self/cwd' : data
}

async function createCluster(setup: ClusterSetup): Promise<void> {
  const { layout } = setup
  setup.log(`Creating a database in ${layout.root}`)
  const folder = await mkdtemp(join(layout.root, PARTIAL_PREFIXES.created))
  try {
    await fillCluster({ ...setup, layout: layoutOf(layout.root, folder) })
    await rename(folder, layout.cluster)
    await syncFolder(layout.root)
  } catch (error) {
    await removeFolder(folder)
    throw error
  }
}

/** Creates the files of a cluster in the empty folder of the layout. */
export async function fillCluster({ layout, binaries, account, durable }: ClusterSetup): Promise<void> {
  const { cluster, data, password } = layout
  await mkdir(data, { mode: 0o700 })
  await createFile(password, `${randomBytes(24).toString('base64url')}\n`, 0o600)
  await changeOwner(cluster, account)
  const outcome = await runProgram(
    programPath(binaries, 'initdb'),
    initdbArguments(dataPathForServer(data, account), durable),
    { cwd: data, account }
  )
  if (!outcome.ok)
    throw new Error(`PostgreSQL could not create a database in ${layout.root}:\n${lastLines(outcome.output)}`)
  await syncFolder(cluster)
}

function initdbArguments(data: string, durable: boolean): string[] {
  return [
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
    ...(durable ? [] : ['--no-sync'])
  ]
}

/** Retries, because an initdb that outlived its parent may still create files. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
