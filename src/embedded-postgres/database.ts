import { readFile } from 'node:fs/promises'
import postgres from 'postgres'
import { SUPERUSER } from './cluster.js'
import type { DataLayout } from './layout.js'

const DATABASE_NAME = 'ssl'

/** Creates the application's database if it does not exist. Returns its URL. */
export async function ensureDatabase({ password }: DataLayout, port: string): Promise<string> {
  const secret = (await readFile(password, 'utf8')).trim()
  const urlOf = (name: string) => `postgres://${SUPERUSER}:${secret}@127.0.0.1:${port}/${name}`
  const sql = postgres(urlOf('postgres'), { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    const [found] = await sql`select from pg_database where datname = ${DATABASE_NAME}`
    if (!found) await sql`create database ${sql(DATABASE_NAME)} encoding 'UTF8'`
  } finally {
    await sql.end({ timeout: 5 })
  }
  return urlOf(DATABASE_NAME)
}
