import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Account, asUser } from './account.js'

/** The PostgreSQL programs for this platform. */
export interface Binaries {
  /** The folder with bin, lib and share. */
  native: string
  /** Version of their package, such as `18.4.0-beta.17`. */
  version: string
}

export function programPath({ native }: Binaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/**
 * Runs a program until it exits, optionally as another user.
 * @throws Error with the last lines of its output, if it fails.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { cwd, account }: { cwd: string; account: Account | undefined }
): Promise<void> {
  try {
    const options = { cwd, env: programEnvironment(), windowsHide: true, ...asUser(account) }
    await promisify(execFile)(file, args, options)
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(lastLines(`${stdout}${stderr}`) || message)
  }
}

/** Lines of a program's output in an error message. */
const MAX_LINES = 12

/** The last lines of a program's output, which usually tell why it failed. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-MAX_LINES).join('\n')
}

/**
 * The environment of the PostgreSQL programs. The environment of this process is not passed on,
 * because it may contain secrets, PG* variables that change the server, or a locale that is not
 * installed.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  const inherited = ['PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP']
  return { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), LC_ALL: 'C' }
}
