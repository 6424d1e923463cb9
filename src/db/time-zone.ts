import { eq } from 'drizzle-orm'
import type { Database } from './driver/database.js'
import { fixedSettings } from './tables.js'

const name = 'TIME_ZONE'

/**
 * Asserts that the stored times were computed in this time zone. The first start stores the time
 * zone.
 * @throws Error that tells what to do.
 */
export async function assertTimeZone(db: Database, timeZone: string): Promise<void> {
  await db.insert(fixedSettings).values({ name, value: timeZone }).onConflictDoNothing()
  const [stored] = await db.select().from(fixedSettings).where(eq(fixedSettings.name, name))
  if (stored?.value !== timeZone)
    throw new Error(
      `TIME_ZONE is ${timeZone}, but the times in this database were computed with ${stored?.value}. Set TIME_ZONE=${stored?.value}, or use a new database.`
    )
}
