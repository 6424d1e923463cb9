import { spawn } from 'node:child_process'
import { join } from 'node:path'
import postgres from 'postgres'

/**
 * A copy of the compiled program, and its own database user, who owns the databases of its tests.
 */
export interface Worker {
  folder: string
  databaseUrl: string
  template: string
}

export type TestResult = 'passed' | 'failed' | 'timed out'

const RUNNER = join('scripts', 'test', 'run-group.js')

/**
 * Runs compiled test files in one process, up to the first failure. Its output is discarded.
 * @param timeoutMs after this time it is killed with its child processes.
 */
export function runTests(
  worker: Worker,
  files: readonly string[],
  timeoutMs: number,
  env: NodeJS.ProcessEnv = {}
): Promise<TestResult> {
  const paths = [...(files.length > 1 ? [RUNNER] : []), ...files].map((file) => join(worker.folder, file))
  const child = spawn('node', ['--require=./test/fixtures/without-tap-hooks.cjs', ...paths], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      TAP_BAIL: '1',
      // In seconds. The timer below ends a slow test.
      TAP_TIMEOUT: '3600',
      TEST_DATABASE_URL: worker.databaseUrl,
      TEST_TEMPLATE: worker.template,
      ...env
    }
  })
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, timeoutMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve(isTimedOut ? 'timed out' : code === 0 ? 'passed' : 'failed')
    })
  })
}

/** Drops the databases of killed tests. */
export async function dropTestDatabases({ databaseUrl }: Worker): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ name: string }[]>`
      select datname as name from pg_database where datname like 'test\\_%' and datdba = current_user::regrole`
    for (const { name } of rows) await sql.unsafe(`drop database if exists ${name} with (force)`)
  } finally {
    await sql.end()
  }
}
