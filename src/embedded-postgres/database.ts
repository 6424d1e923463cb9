import { readFile } from 'node:fs/promises'
import postgres from 'postgres'
import { SUPERUSER } from './cluster.js'
import { hasCode } from './errors.js'
import type { DataLayout } from './layout.js'

const DATABASE_NAME = 'ssl'

/** Creates the application's database if it does not exist. Returns its URL. */
export async function ensureDatabase({ password }: DataLayout, port: string): Promise<string> {
  const secret = (await readFile(password, 'utf8')).trim()
  const urlOf = (name: string) => `postgres://${SUPERUSER}:${secret}@127.0.0.1:${port}/${name}`
  const url = urlOf(DATABASE_NAME)
  try {
    await query(url, 'select 1')
  } catch (error) {
    // 3D000: the database does not exist.
    if (!hasCode(error, '3D000')) throw error
    await query(urlOf('postgres'), `create database ${DATABASE_NAME} encoding 'UTF8'`)
  }
  return url
}

async function query(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    await client.unsafe(statement)
  } finally {
    await client.end({ timeout: 5 })
  }
}
