import { statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { describeUser } from './account.js'

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

/** Whether an error has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/**
 * Replaces a file system error of the data folder by one that names the folder and says what to do.
 */
export function explainError(error: unknown, dataDir: string): unknown {
  const folder = resolve(dataDir)
  if (!hasCode(error, ...Object.keys(reasons)) || !concerns(error, folder)) return error
  return new Error(
    `The data folder ${folder} cannot be used: ${reasons[error.code ?? '']} (${error.message}). ` +
      `${describeOwner(folder)} Fix this, or set DATA_DIR to another folder.`,
    { cause: error }
  )
}

function concerns(error: NodeJS.ErrnoException, folder: string): boolean {
  if (error.path !== undefined) return !relative(folder, error.path).startsWith('..')
  // An error of a write has no path. All writes during the start go to the data folder.
  return hasCode(error, 'ENOSPC', 'EDQUOT')
}

/** The owner of the folder, or of the nearest accessible parent folder, and the current user. */
function describeOwner(path: string): string {
  const currentUid = process.getuid?.()
  if (currentUid === undefined) return ''
  try {
    const { uid } = statSync(path)
    return `${path} belongs to ${describeUser(uid)}; this program runs as ${describeUser(currentUid)}.`
  } catch {
    const parent = dirname(path)
    return parent === path ? '' : describeOwner(parent)
  }
}
