import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Database } from './driver/database.js'
import { fixedSettings, replacedOrganizations, secrets } from './tables.js'

/**
 * The 32-byte key with this name. The first use creates the key for all instances on the database.
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

/**
 * The first start stores the time zone.
 * @throws Error if the times in the database were computed in another time zone.
 */
export async function assertTimeZone(db: Database, timeZone: string): Promise<void> {
  const name = 'TIME_ZONE'
  await db.insert(fixedSettings).values({ name, value: timeZone }).onConflictDoNothing()
  const [stored] = await db.select().from(fixedSettings).where(eq(fixedSettings.name, name))
  if (stored?.value !== timeZone)
    throw new Error(
      `TIME_ZONE is ${timeZone}, but the times in this database were computed with ${stored?.value}. Set TIME_ZONE=${stored?.value}, or use a new database.`
    )
}

/** The replaced organizations, as this instance has last read them. */
export interface ReplacedOrganizations {
  /**
   * The URL of the organization that has replaced this organization; undefined without a
   * replacement.
   */
  replacementOf(organization: string): string | undefined
  refresh(): Promise<void>
}

/**
 * Reads the replaced organizations. There are few of these organizations, so requests find them in
 * memory.
 */
export async function readReplacedOrganizations(db: Database): Promise<ReplacedOrganizations> {
  let replacements: ReadonlyMap<string, string> = new Map()
  async function refresh(): Promise<void> {
    const rows = await db.select().from(replacedOrganizations)
    replacements = new Map(rows.map(({ organization, replacedBy }) => [organization, replacedBy]))
  }
  await refresh()
  return { replacementOf: (organization) => replacements.get(organization), refresh }
}
