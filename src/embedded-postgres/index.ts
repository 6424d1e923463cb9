import { chooseAccount } from './account.js'
import { findBinaries } from './binaries.js'
import { ensureCluster, readPassword } from './cluster.js'
import { ensureDatabase } from './database.js'
import { explainError } from './errors.js'
import { prepareLayout } from './layout.js'
import { acquireOwnership } from './ownership.js'
import { startServer } from './server.js'
import { supervise } from './supervisor.js'
import { assertReadable } from './version.js'

export { backUpDatabase } from './maintenance/backup.js'
export { restoreDatabase } from './maintenance/restore.js'
export { upgradeDatabase } from './maintenance/upgrade.js'

/** A running PostgreSQL server that belongs to this process. */
export interface EmbeddedPostgres {
  /** postgres:// URL of the application's database (superuser, random password, loopback). */
  url: string
  /** Stops the server (fast shutdown) and resolves when its process is gone. Idempotent. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** The folder of the database. Created if it does not exist. */
  dataDir: string
  /** Extra server settings, as with `postgres -c name=value`. */
  settings?: Readonly<Record<string, string>>
  /** Receives a message for each step that takes time or needs an explanation. */
  log?: (message: string) => void
  /** Receives a message when the server has exited unexpectedly, and when it runs again. */
  warn?: (message: string) => void
  /** Called once, when the server has exited unexpectedly and cannot be restarted. */
  failed?: (error: Error) => void
}

/**
 * Starts a PostgreSQL server on the data of `dataDir` and resolves when its database accepts
 * queries. Only one process owns the folder at a time; a server left behind by a killed owner is
 * stopped and its data recovered first. A server that exits unexpectedly is restarted under the
 * same URL.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    throw await explainError(error, options.dataDir)
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
  const ownership = await acquireOwnership(layout.root)
  try {
    const account = await chooseAccount(layout)
    const binaries = await findBinaries(account, log)
    await assertReadable(layout, binaries)
    await ensureCluster({ layout, binaries, account, durable: settings.fsync !== 'off', log })
    const password = await readPassword(layout)
    const open = (port: number, deadline: number) => ensureDatabase(port, password, deadline)
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
