import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { SUPERUSER } from './cluster.js'
import { hasCode } from './errors.js'

const DATABASE_NAME = 'ssl'
const RETRY_DELAY_MS = 100

/**
 * Waits until the application's database accepts queries, and creates it if it does not exist.
 * @param deadline in the time of `performance.now()`.
 * @returns its URL.
 */
export async function ensureDatabase(port: number, password: string, deadline: number): Promise<string> {
  const url = urlOf(port, password, DATABASE_NAME)
  for (;;) {
    try {
      await query(url, 'select 1')
      return url
    } catch (error) {
      // 3D000: the database does not exist.
      if (hasCode(error, '3D000')) await createDatabase(port, password)
      else if (performance.now() > deadline) throw error
      else await sleep(RETRY_DELAY_MS)
    }
  }
}

async function createDatabase(port: number, password: string): Promise<void> {
  await query(urlOf(port, password, 'postgres'), `create database ${DATABASE_NAME} encoding 'UTF8'`)
}

async function query(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    await client.unsafe(statement)
  } finally {
    await client.end({ timeout: 5 })
  }
}

function urlOf(port: number, password: string, name: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${name}`
}
