import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { superuser } from './cluster.js'
import { hasCode } from './errors.js'

const database = 'ssl'

/** Opens the application's database once, creates it when it is missing, and answers with its URL. */
export async function openDatabase(port: number, password: string, deadline: number): Promise<string> {
  const url = urlOf(port, password, database)
  for (;;) {
    try {
      await query(url, 'select 1')
      return url
    } catch (error) {
      // 3D000: there is no such database.
      if (hasCode(error, '3D000')) await createDatabase(port, password)
      else if (performance.now() > deadline) throw error
      else await sleep(100)
    }
  }
}

async function createDatabase(port: number, password: string): Promise<void> {
  await query(urlOf(port, password, 'postgres'), `create database ${database} encoding 'UTF8'`)
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
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}`
}
