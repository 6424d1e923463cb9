import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from './errors.js'
import type { Binaries } from './run.js'

const CACHE_FOLDER = '/var/cache/ssl-backend'

/**
 * Copies the programs, once per version, to a folder that every user can read and only root can
 * change. The user that PostgreSQL runs as may have no access to the installation folder.
 */
export async function publicCopy(
  binaries: Binaries,
  log: (message: string) => void,
  cache = CACHE_FOLDER
): Promise<Binaries> {
  const target = join(cache, `postgresql-${binaries.version}`)
  await makePublicFolder(cache)
  if (!(await exists(target))) {
    log(`Copying PostgreSQL's programs to ${target}, where an ordinary user can run them`)
    await copyAtomically(binaries.native, target)
  }
  await assertTrusted(target)
  return { ...binaries, native: target }
}

async function makePublicFolder(folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true, mode: 0o755 })
  // The mode above is subject to the umask.
  if (created) await chmod(folder, 0o755)
}

async function copyAtomically(source: string, target: string): Promise<void> {
  const partial = await mkdtemp(`${target}.copying-`)
  try {
    await copyTree(source, partial)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    // Another process has created the same copy meanwhile.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function copyTree(source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const from = join(source, entry.name)
    const to = join(target, entry.name)
    if (entry.isSymbolicLink()) await symlink(await readlink(from), to)
    else if (entry.isDirectory()) await mkdir(to).then(() => copyTree(from, to))
    else await copyPublicFile(from, to)
  }
  await chmod(target, 0o755)
}

async function copyPublicFile(from: string, to: string): Promise<void> {
  const { mode } = await stat(from)
  await copyFile(from, to)
  await chmod(to, mode & 0o100 ? 0o755 : 0o644)
  const file = await open(to)
  // The copy is never repeated, so a power failure must not leave an empty file in it.
  await file.sync().finally(() => file.close())
}

/** Rejects a folder that anyone but root can change, because its programs are executed. */
async function assertTrusted(folder: string): Promise<void> {
  const info = await lstat(folder)
  if (!info.isDirectory() || info.uid !== 0 || info.mode & 0o022) {
    throw new Error(`${folder} must be a folder that root owns and no one else can write to`)
  }
  if (dirname(folder) !== folder) await assertTrusted(dirname(folder))
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false
  )
}
