import type { Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { hasCode } from './errors.js'

/** As `stat`. Undefined if the file or folder does not exist. */
export async function statOrUndefined(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Creates a file with exactly this mode, regardless of the umask. Fails if it exists. */
export async function createFile(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    if (process.platform !== 'win32') await file.chmod(mode)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the entries of a folder survive a power failure. Windows neither needs nor allows it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
