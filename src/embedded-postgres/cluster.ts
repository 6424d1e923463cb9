import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { handOver } from './account.js'
import { type Binaries, program } from './binaries.js'
import { createFile, statOrUndefined, syncFolder } from './files.js'
import type { Layout } from './layout.js'
import type { Account } from './passwd.js'
import { lastLines, run } from './run.js'

/** The name of the superuser, which is also the user of the application. */
export const superuser = 'postgres'

/** What it takes to create a cluster. */
export interface ClusterSetup {
  layout: Layout
  binaries: Binaries
  account: Account | undefined
  /** False skips the writing to disk at the end, for data that need not outlive a crash of the machine. */
  durable: boolean
  log: (message: string) => void
}

const unfinished = 'initializing-'

/**
 * Creates the database cluster when there is none yet. It grows in a folder of its own that gets its final name
 * only when complete, so an interruption at any moment leaves either no cluster or a whole one.
 */
export async function ensureCluster(setup: ClusterSetup): Promise<void> {
  const { layout, account } = setup
  await removeLeftovers(layout.root)
  if (!(await statOrUndefined(layout.cluster))) return createCluster(setup)
  const { uid } = await stat(layout.data)
  // A backup restored by root belongs to root, and PostgreSQL accepts no data that is not its user's own.
  if (account && uid === 0) await handOver(layout.cluster, account)
}

/** Reads the superuser's password that was made together with the cluster. */
export async function readPassword(layout: Layout): Promise<string> {
  return (await readFile(layout.password, 'utf8')).trim()
}

/** The name by which PostgreSQL itself calls the data directory, which is also its working directory. */
export function ownDataName(data: string, account: Account | undefined): string {
  // The folders above may be closed to another user. The working directory is set before the user changes, and
  // this name of it needs no permission on any of them.
  return account && process.platform === 'linux' ? '/proc/self/cwd' : data
}

async function createCluster({ layout, binaries, account, durable, log }: ClusterSetup): Promise<void> {
  log(`Creating a database in ${layout.root}`)
  const folder = await mkdtemp(join(layout.root, unfinished))
  try {
    const data = join(folder, 'data')
    await mkdir(data, { mode: 0o700 })
    await createFile(join(folder, 'password'), `${randomBytes(24).toString('base64url')}\n`, 0o600)
    await handOver(folder, account)
    const outcome = await run(
      program(binaries, 'initdb'),
      initdbArguments(ownDataName(data, account), durable),
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
    `--username=${superuser}`,
    `--pwfile=${data}/../password`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Knows all letters without the locales of the operating system, which may lack or change.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync'])
  ]
}

async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(unfinished)) await removeFolder(join(root, name))
  }
}

/** An initdb that outlived its parent may still be adding files, hence the repetitions. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
