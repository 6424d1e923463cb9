import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../errors.js'
import { syncFolder } from '../files.js'

/** Digests of files, by their path relative to the folder. */
export type Digests = Record<string, string>

/**
 * Copies the files and folders of a folder into another one, which exists, and writes them to disk.
 * The copies belong to the current user, who is the only one to have access.
 * @throws Error if there is anything but files and folders, such as a link to another disk.
 */
export async function copyTree(source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(to, { mode: 0o700 })
      await copyTree(from, to)
    } else if (entry.isFile()) await copyDurably(from, to)
    else throw new Error(`${from} is neither a file nor a folder, and cannot be copied.`)
  }
  await syncFolder(target)
}

/** The SHA-256 of all files of a folder, in hexadecimal. */
export async function digestsOf(folder: string): Promise<Digests> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const digests: Digests = {}
  for (const path of paths.sort()) digests[path.replaceAll('\\', '/')] = await digestOf(join(folder, path))
  return digests
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const file = await open(to, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } catch (error) {
    // Some file systems have no modes.
    if (!hasCode(error, 'EPERM', 'ENOTSUP')) throw error
  } finally {
    await file.close()
  }
}
