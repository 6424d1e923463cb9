import { stat } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { describeUser } from './passwd.js'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is missing',
  EPERM: 'permission is missing',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'a part of it is missing or cannot be created',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'a file, not a folder, has this name'
}

/** True for an error of the operating system with one of these codes (`ENOENT` and the like). */
export function hasCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Turns a bare file system error about the data folder into one that names the folder and the way out. */
export async function explain(error: unknown, dataDir: string): Promise<unknown> {
  const folder = resolve(dataDir)
  if (!hasCode(error, ...Object.keys(reasons)) || !concerns(error, folder)) return error
  return new Error(
    `The data folder ${folder} cannot be used: ${reasons[error.code ?? '']} (${error.message}). ` +
      `${await describeOwner(folder)} Mend that, or set DATA_DIR to another folder.`,
    { cause: error }
  )
}

function concerns(error: NodeJS.ErrnoException, folder: string): boolean {
  if (error.path !== undefined) return !relative(folder, error.path).startsWith('..')
  // A write carries no path; what we write during a start goes to the data folder.
  return hasCode(error, 'ENOSPC', 'EDQUOT')
}

/** Says to whom the folder belongs, or else the nearest folder above it that can be seen, and who we are. */
async function describeOwner(path: string): Promise<string> {
  const ourUid = process.getuid?.()
  if (ourUid === undefined) return ''
  try {
    const { uid } = await stat(path)
    return `${path} belongs to ${await describeUser(uid)}; this program runs as ${await describeUser(ourUid)}.`
  } catch {
    const parent = dirname(path)
    return parent === path ? '' : describeOwner(parent)
  }
}
