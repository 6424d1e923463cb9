import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { changeOwner } from './account.js'
import { createFile, statOrUndefined, syncFolder } from './files.js'
import type { DataLayout } from './layout.js'
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

const PARTIAL_PREFIX = 'initializing-'

/**
 * Creates the database cluster if it does not exist. It is created in a temporary folder that gets
 * its final name when complete, so an interruption leaves either no cluster or a complete one.
 */
export async function ensureCluster(setup: ClusterSetup): Promise<void> {
  const { layout, account } = setup
  await removeLeftovers(layout.root)
  if (!(await statOrUndefined(layout.cluster))) return createCluster(setup)
  const { uid } = await stat(layout.data)
  // A backup restored by root is owned by root, and PostgreSQL requires its user to own the data.
  if (account && uid === 0) await changeOwner(layout.cluster, account)
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

async function createCluster({ layout, binaries, account, durable, log }: ClusterSetup): Promise<void> {
  log(`Creating a database in ${layout.root}`)
  const folder = await mkdtemp(join(layout.root, PARTIAL_PREFIX))
  try {
    const data = join(folder, 'data')
    await mkdir(data, { mode: 0o700 })
    await createFile(join(folder, 'password'), `${randomBytes(24).toString('base64url')}\n`, 0o600)
    await changeOwner(folder, account)
    const outcome = await runProgram(
      programPath(binaries, 'initdb'),
      initdbArguments(dataPathForServer(data, account), durable),
      {
        cwd: data,
        account
      }
    )
    if (!outcome.ok)
      throw new Error(
        `PostgreSQL could not create a database in ${layout.root}:\n${lastLines(outcome.output)}`
      )
    await syncFolder(folder)
    await rename(folder, layout.cluster)
    await syncFolder(layout.root)
  } catch (error) {
    await removeFolder(folder)
    throw error
  }
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

async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(PARTIAL_PREFIX)) await removeFolder(join(root, name))
  }
}

/** Retries, because an initdb that outlived its parent may still create files. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
