import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Database } from './driver/database.js'
import { secrets } from './tables.js'

/**
 * The 32-byte key with this name. Created on first use and shared by all instances on the database.
 */
export async function sharedSecret(db: Database, name: string): Promise<Uint8Array> {
  await db
    .insert(secrets)
    .values({ name, value: randomBytes(32) })
    .onConflictDoNothing()
  const [row] = await db.select().from(secrets).where(eq(secrets.name, name))
  if (!row) throw new Error(`The secret ${name} could not be created.`)
  return row.value
}
