import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { asUser } from './account.js'
import type { Account } from './passwd.js'

/** The PostgreSQL programs for this platform. */
export interface Binaries {
  /** The folder with bin, lib and share. */
  native: string
  /** Version of their package. */
  version: string
}

/** The path of a PostgreSQL program. */
export function programPath(binaries: Binaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries.native, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/** The result of a program, with its stdout and stderr. */
export interface RunResult {
  ok: boolean
  output: string
}

/**
 * Runs a program until it exits, optionally as another user. Never rejects: a failure is a result.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { cwd: string; account: Account | undefined }
): Promise<RunResult> {
  return new Promise((resolve) => {
    const settings = {
      cwd: options.cwd,
      env: programEnvironment(),
      windowsHide: true,
      ...asUser(options.account)
    }
    const finish = (error: Error | null, stdout: string, stderr: string) => {
      const silent = error !== null && !stdout && !stderr
      resolve({ ok: error === null, output: silent ? error.message : `${stdout}${stderr}`.trim() })
    }
    try {
      execFile(file, args, settings, finish)
    } catch (error) {
      // Node throws instead of calling back if it may not change the user.
      resolve({ ok: false, output: String(error) })
    }
  })
}

/** Lines of a program's output in an error message. */
const MAX_LINES = 12

/** The last lines of a program's output, which usually tell why it failed. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-MAX_LINES).join('\n')
}

/**
 * The environment of the PostgreSQL programs. The one of this process is not passed on: it may
 * contain secrets, PG* variables that change the server, or a locale that is not installed.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  const inherited = ['PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP']
  const entries = inherited.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]]
  )
  return { ...Object.fromEntries(entries), LC_ALL: 'C' }
}
