import { spawn } from 'node:child_process'
import { join } from 'node:path'
import postgres from 'postgres'

/** Where tests run: a copy of the compiled program, and the server as a user of its own, to whom the databases of its tests belong. */
export interface Place {
  folder: string
  databaseUrl: string
  template: string
}

export type Outcome = 'passed' | 'failed' | 'late'

/**
 * Runs a compiled test file up to its first failure. The output is thrown away.
 * @param timeout milliseconds after which it is killed, with what it started.
 */
export function runTest(
  place: Place,
  file: string,
  timeout: number,
  env: NodeJS.ProcessEnv = {}
): Promise<Outcome> {
  const child = spawn('node', ['--require=./test/fixtures/without-tap-hooks.cjs', join(place.folder, file)], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      TAP_BAIL: '1',
      // In seconds; what takes too long is ended here.
      TAP_TIMEOUT: '3600',
      TEST_DATABASE_URL: place.databaseUrl,
      TEST_TEMPLATE: place.template,
      ...env
    }
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, timeout)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve(isLate ? 'late' : code === 0 ? 'passed' : 'failed')
    })
  })
}

/** Drops the databases that killed tests left behind. */
export async function dropLeftovers({ databaseUrl }: Place): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ name: string }[]>`
      select datname as name from pg_database where datname like 'test\\_%' and datdba = current_user::regrole`
    for (const { name } of rows) await sql.unsafe(`drop database if exists ${name} with (force)`)
  } finally {
    await sql.end()
  }
}
