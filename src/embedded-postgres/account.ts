import { lchown, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { statOrUndefined } from './files.js'
import type { DataLayout } from './layout.js'
import { type Account, describeUser, readAccounts } from './passwd.js'

/**
 * Chooses the user that PostgreSQL runs as, because it refuses to run as root. Undefined: the
 * current user. The owner of an existing cluster or data folder is preferred, so that this user can
 * later start the program without root.
 */
export async function chooseAccount(layout: DataLayout): Promise<Account | undefined> {
  const currentUid = process.getuid?.()
  const cluster = (await statOrUndefined(layout.cluster)) ?? (await statOrUndefined(layout.replacement))
  if (currentUid !== 0) {
    if (currentUid !== undefined && cluster && cluster.uid !== currentUid)
      throw await clusterOwnedByOther(layout, cluster.uid)
    return undefined
  }
  const accounts = await readAccounts()
  if (cluster && cluster.uid !== 0) return accountOf(cluster, accounts)
  const folder = await stat(layout.root)
  return (folder.uid !== 0 && accounts.find(({ uid }) => uid === folder.uid)) || serviceAccount(accounts)
}

/** The options that make a child process run as this user. */
export function asUser(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {}
}

/**
 * Changes the owner of a file, or of a folder and its content, to the user that PostgreSQL runs as.
 */
export async function changeOwner(path: string, account: Account | undefined): Promise<void> {
  if (!account) return
  if ((await lstat(path)).isDirectory()) {
    for (const name of await readdir(path)) await changeOwner(join(path, name), account)
  }
  // Never follows a symbolic link: the owner of the folder may have created it, and this process is
  // root.
  await lchown(path, account.uid, account.gid)
}

function accountOf(owner: { uid: number; gid: number }, accounts: readonly Account[]): Account {
  const listed = accounts.find(({ uid }) => uid === owner.uid)
  return listed ?? { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid }
}

function serviceAccount(accounts: readonly Account[]): Account {
  const found = ['postgres', 'nobody'].map((name) =>
    accounts.find((account) => account.name === name && account.uid !== 0)
  )
  const account = found[0] ?? found[1]
  if (account) return account
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd lists neither a user "postgres" nor "nobody" to run it as. ' +
      'Start this program as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer.'
  )
}

async function clusterOwnedByOther(layout: DataLayout, uid: number): Promise<Error> {
  return new Error(
    `The database in ${layout.root} belongs to ${await describeUser(uid)}, but this program runs as ` +
      `${await describeUser(process.getuid?.() ?? -1)}. Start it as that user or as root, or set DATA_DIR to another folder.`
  )
}
