import { chooseAccount } from './account.js'
import { usableBinaries } from './binaries.js'
import { ensureCluster, readPassword } from './cluster.js'
import { openDatabase } from './database.js'
import { explain } from './errors.js'
import { prepareLayout } from './layout.js'
import { takeOwnership } from './ownership.js'
import { startServer } from './server.js'
import { supervise } from './supervisor.js'

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
  /** Receives a line when the server ended unexpectedly, and when it runs again. */
  warn?: (message: string) => void
  /** Called once, when the server ended unexpectedly and cannot be started again. */
  failed?: (error: Error) => void
}

/**
 * Starts a real PostgreSQL on the data of `dataDir` and answers once its database takes queries. One living
 * process owns the folder at a time; what a killed owner left behind is stopped and recovered first. A server
 * that ends unexpectedly is started again in place, under the same URL.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    throw await explain(error, options.dataDir)
  }
}

async function start({
  dataDir,
  settings = {},
  log = () => {},
  warn = log,
  failed = ({ message }) => warn(message)
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const layout = await prepareLayout(dataDir)
  const ownership = await takeOwnership(layout.root)
  try {
    const account = await chooseAccount(layout)
    const binaries = await usableBinaries(account, log)
    await ensureCluster({ layout, binaries, account, durable: settings.fsync !== 'off', log })
    const password = await readPassword(layout)
    const open = (port: number, deadline: number) => openDatabase(port, password, deadline)
    const setup = { layout, binaries, account, settings, open }
    const server = await startServer({ ...setup, log })
    const stopServer = supervise(server, {
      start: (port) => startServer({ ...setup, port, log: warn }),
      warn,
      failed
    })
    const stop = once(() => stopServer().finally(() => ownership.release()))
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
