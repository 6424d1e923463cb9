import { chooseAccount } from './account.js'
import { usableBinaries } from './binaries.js'
import { ensureCluster, readPassword } from './cluster.js'
import { openDatabase } from './database.js'
import { explain } from './errors.js'
import { prepareLayout } from './layout.js'
import { takeOwnership } from './ownership.js'
import { startServer } from './server.js'

/** A running PostgreSQL server that belongs to this process. */
export interface EmbeddedPostgres {
  /** postgres:// URL of the application's database (superuser, random password, loopback). */
  url: string
  /** Stops the server (fast shutdown) and resolves when its process is gone. Idempotent. */
  stop(): Promise<void>
}

/** What to start, and where. */
export interface EmbeddedOptions {
  /** The folder that holds the database; created when missing. */
  dataDir: string
  /** Extra server settings, as with `postgres -c name=value`. */
  settings?: Readonly<Record<string, string>>
  /** Receives a line for each step that takes time or needs an explanation. */
  log?: (message: string) => void
}

/**
 * Starts a real PostgreSQL on the data of `dataDir` and answers once its database takes queries. One living
 * process owns the folder at a time; what a killed owner left behind is stopped and recovered first.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    throw await explain(error, options.dataDir)
  }
}

async function start({ dataDir, settings = {}, log = () => {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const layout = await prepareLayout(dataDir)
  const ownership = await takeOwnership(layout.root)
  try {
    const account = await chooseAccount(layout)
    const binaries = await usableBinaries(account, log)
    await ensureCluster({ layout, binaries, account, durable: settings.fsync !== 'off', log })
    const password = await readPassword(layout)
    const open = (port: number, deadline: number) => openDatabase(port, password, deadline)
    const server = await startServer({ layout, binaries, account, settings, log, open })
    const stop = once(() => server.stop().finally(() => ownership.release()))
    return { url: server.url, stop }
  } catch (error) {
    await ownership.release()
    throw error
  }
}

function once<Result>(action: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= action()
    return result
  }
}
