import { chooseAccount } from '../account.js'
import { findBinaries } from '../binaries.js'
import { readPassword } from '../cluster.js'
import { ensureDatabase } from '../database.js'
import { type DataLayout, prepareLayout } from '../layout.js'
import { acquireOwnership } from '../ownership.js'
import type { Account } from '../passwd.js'
import type { Binaries } from '../run.js'
import { startServer } from '../server.js'

/** A data folder that this process owns and on which no program runs. */
export interface Host {
  layout: DataLayout
  account: Account | undefined
  binaries: Binaries
  durable: boolean
  log: (message: string) => void
}

/**
 * Owns a data folder, which is created if it does not exist, while work is done on it.
 * @throws Error if another process owns it.
 */
export async function withOwnedFolder<Result>(
  dataDir: string,
  log: (message: string) => void,
  work: (host: Host) => Promise<Result>
): Promise<Result> {
  const layout = await prepareLayout(dataDir)
  const ownership = await acquireOwnership(layout.root)
  try {
    const account = await chooseAccount(layout)
    return await work({ layout, account, binaries: await findBinaries(account, log), durable: true, log })
  } finally {
    await ownership.release()
  }
}

/** Runs a server on the cluster while work is done with its database. */
export async function withServer<Result>(
  host: Omit<Host, 'durable'>,
  work: (url: string) => Promise<Result>
): Promise<Result> {
  const password = await readPassword(host.layout)
  const server = await startServer({
    ...host,
    settings: { log_error_verbosity: 'terse' },
    open: (port, deadline) => ensureDatabase(port, password, deadline)
  })
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}
