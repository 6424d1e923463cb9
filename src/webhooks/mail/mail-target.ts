import { and, eq, sql } from 'drizzle-orm'
import { parties } from '../../agreement/tables.js'
import type { Queryable } from '../../db/driver/database.js'

const SCHEME = 'mailto:'

/** One address without parameters, so that a target cannot name further recipients or headers. */
const ADDRESS = /^[^\s@,;:?&%<>"()[\]\\]+@[^\s@,;:?&%<>"()[\]\\]+$/

export const isMailTarget = (target: string): boolean => target.startsWith(SCHEME)

/** The address of a mail target. Undefined if it has another form. */
export function mailAddressOf(target: string): string | undefined {
  const address = target.slice(SCHEME.length)
  return isMailTarget(target) && ADDRESS.test(address) ? address : undefined
}

/** Whether a party of an organization has an address, ignoring case. */
export async function isPartyAddress(db: Queryable, organization: string, address: string): Promise<boolean> {
  const found = await db
    .select({ id: parties.id })
    .from(parties)
    .where(and(eq(parties.organization, organization), sql`lower(${parties.email}) = lower(${address})`))
    .limit(1)
  return found.length > 0
}
