import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import type { DataLayout } from './layout.js'

interface Owner {
  uid: number
  gid: number
}

/** A user of the operating system. */
export interface Account extends Owner {
  name: string
}

/**
 * Chooses the user that PostgreSQL runs as, because it refuses to run as root. Undefined: the
 * current user. The owner of an existing cluster or data folder is preferred, so that this user can
 * later start the program without root.
 */
export function chooseAccount({ root, cluster }: DataLayout): Account | undefined {
  const currentUid = process.getuid?.()
  if (currentUid === undefined) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  if (currentUid === 0) return accountBelowRoot(owner, statSync(root))
  if (!owner || owner.uid === currentUid) return undefined
  throw new Error(
    `The database in ${root} belongs to ${describeUser(owner.uid)}, but this program runs as ` +
      `${describeUser(currentUid)}. Start it as that user or as root, or set DATA_DIR to another folder.`
  )
}

/** The options that make a child process run as this user. */
export function asUser(account: Account | undefined): Partial<Owner> {
  return account ? { uid: account.uid, gid: account.gid } : {}
}

/**
 * Changes the owner of a file, or of a folder and its content, to the user that PostgreSQL runs as.
 * Never follows a symbolic link: the owner of the folder may have created it, and this process is
 * root.
 */
export async function changeOwner(path: string, account: Account | undefined): Promise<void> {
  if (account) await promisify(execFile)('chown', ['-hR', `${account.uid}:${account.gid}`, path])
}

/** The users in /etc/passwd. Empty if there is no such file. */
export function readAccounts(): Account[] {
  try {
    return parseAccounts(readFileSync('/etc/passwd', 'utf8'))
  } catch {
    return []
  }
}

/** Parses a passwd file. Lines that are not users are skipped. */
export function parseAccounts(text: string): Account[] {
  return [...text.matchAll(/^([^:#\n]+):[^:\n]*:(-?\d+):(-?\d+)/gm)].map(([, name = '', uid, gid]) => ({
    name,
    uid: Number(uid),
    gid: Number(gid)
  }))
}

/** A user for messages, such as `postgres (uid 101)`. */
export function describeUser(uid: number): string {
  const account = readAccounts().find((each) => each.uid === uid)
  return account ? `${account.name} (uid ${uid})` : `uid ${uid}`
}

function accountBelowRoot(cluster: Owner | undefined, folder: Owner): Account {
  const accounts = readAccounts().filter(({ uid }) => uid !== 0)
  const listed = ({ uid }: Owner) => accounts.find((each) => each.uid === uid)
  const named = (name: string) => accounts.find((each) => each.name === name)
  if (cluster && cluster.uid !== 0)
    return listed(cluster) ?? { name: `uid ${cluster.uid}`, uid: cluster.uid, gid: cluster.gid }
  // PostgreSQL does not create a database for a user without a name.
  const account = listed(folder) ?? named('postgres') ?? named('nobody')
  if (account) return account
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd lists neither a user "postgres" nor "nobody" to run it as. ' +
      'Start this program as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer.'
  )
}
