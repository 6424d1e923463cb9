import { existsSync } from 'node:fs'
import { chooseAccount } from './account.js'
import { findBinaries } from './binaries.js'
import { ensureCluster } from './cluster.js'
import { ensureDatabase, urlAt } from './database.js'
import { explainError } from './errors.js'
import { lockFolder } from './folder-lock.js'
import { prepareLayout } from './layout.js'
import { isServerOf, readPostmasterFile } from './postmaster.js'
import { startServer } from './server.js'

/** A running PostgreSQL server that belongs to this process. */
export interface EmbeddedPostgres {
  /** postgres:// URL of the application's database (superuser, random password, loopback). */
  url: string
  /** Stops the server and resolves when its process has ended. Idempotent. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** The folder of the database. Created if it does not exist. */
  dataDir: string
  /** Extra server settings, as with `postgres -c name=value`. */
  settings?: Readonly<Record<string, string>>
  /** Called when the server has exited unexpectedly. */
  failed?: (error: Error) => void
}

/**
 * Starts a PostgreSQL server on the data of `dataDir` and resolves when its database accepts
 * queries. Only one process owns the folder at a time; a server left behind by a killed owner is
 * stopped first.
 * @throws Error with a message that states the remedy.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    throw explainError(error, options.dataDir)
  }
}

/**
 * The URL of the database of the server that runs on this folder. Undefined without a server, and
 * until the server accepts connections.
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  if (!existsSync(dataDir)) return undefined
  const layout = await prepareLayout(dataDir)
  const server = readPostmasterFile(layout.data)
  return server?.isReady && isServerOf(server.pid, layout.data) ? urlAt(layout, server.port) : undefined
}

async function start({
  dataDir,
  settings = {},
  failed = () => {}
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const layout = await prepareLayout(dataDir)
  const account = chooseAccount(layout)
  const unlock = await lockFolder(layout.root, account)
  try {
    const setup = { layout, account, settings, binaries: await findBinaries(account) }
    await ensureCluster(setup)
    const server = await startServer(setup, failed)
    const url = await ensureDatabase(layout, server.port).catch(async (error) => {
      await server.stop()
      throw error
    })
    let stopped: Promise<void> | undefined
    return { url, stop: () => (stopped ??= server.stop().finally(unlock)) }
  } catch (error) {
    await unlock()
    throw error
  }
}
