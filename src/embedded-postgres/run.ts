import { execFile } from 'node:child_process'
import { asUser } from './account.js'
import type { Account } from './passwd.js'

/** How a finished program ended, with all it wrote. */
export interface Outcome {
  ok: boolean
  output: string
}

/** Runs a program to its end, as another user when one is given. A failure is an outcome, not an exception. */
export function run(
  file: string,
  args: readonly string[],
  options: { cwd: string; account: Account | undefined }
): Promise<Outcome> {
  return new Promise((resolve) => {
    const settings = { cwd: options.cwd, env: environment(), windowsHide: true, ...asUser(options.account) }
    const finish = (error: Error | null, stdout: string, stderr: string) => {
      const silent = error !== null && !stdout && !stderr
      resolve({ ok: error === null, output: silent ? error.message : `${stdout}${stderr}`.trim() })
    }
    try {
      execFile(file, args, settings, finish)
    } catch (error) {
      // Node throws, instead of calling back, when the change of user is refused.
      resolve({ ok: false, output: String(error) })
    }
  })
}

/** The end of what a program wrote, which tells why it failed. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-12).join('\n')
}

/**
 * The environment of PostgreSQL's programs. Ours stays with us: it may hold secrets, PG* variables that change
 * the server, or a locale the machine lacks.
 */
export function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP']
  const entries = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(entries), LC_ALL: 'C' }
}
