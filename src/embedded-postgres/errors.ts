import { statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { describeUser } from './account.js'

/** Whether an error has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/**
 * Replaces a file system error of the data folder by one that names the folder and says what to do.
 */
export function explainError(error: unknown, dataDir: string): unknown {
  const folder = resolve(dataDir)
  if (!(error instanceof Error) || !concerns(error, folder)) return error
  return new Error(
    `The data folder ${folder} cannot be used (${error.message}). ` +
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
