import { readFile } from 'node:fs/promises'
import postgres from 'postgres'
import { SUPERUSER } from './cluster.js'
import type { DataLayout } from './layout.js'

const DATABASE_NAME = 'ssl'

/** The URL of a database, by default the application's, on the server that listens on this port. */
export async function urlAt({ password }: DataLayout, port: string, name = DATABASE_NAME): Promise<string> {
  const secret = (await readFile(password, 'utf8')).trim()
  return `postgres://${SUPERUSER}:${secret}@127.0.0.1:${port}/${name}`
}

/** Creates the application's database if it does not exist. Returns its URL. */
export async function ensureDatabase(layout: DataLayout, port: string): Promise<string> {
  const options = { max: 1, fetch_types: false, onnotice: () => {} }
  const sql = postgres(await urlAt(layout, port, 'postgres'), options)
  try {
    const [found] = await sql`select from pg_database where datname = ${DATABASE_NAME}`
    if (!found) await sql`create database ${sql(DATABASE_NAME)} encoding 'UTF8'`
  } finally {
    await sql.end({ timeout: 5 })
  }
  return urlAt(layout, port)
}
