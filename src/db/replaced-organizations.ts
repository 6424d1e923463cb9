import type { Database } from './driver/database.js'
import { replacedOrganizations } from './tables.js'

/** The organizations that were replaced by others, as this instance has last read them. */
export interface ReplacedOrganizations {
  /** The URL of the organization that has replaced another one; undefined if none has. */
  replacementOf(organization: string): string | undefined
  /** Reads them again. */
  refresh(): Promise<void>
}

/** Reads the replaced organizations. They are few, and no request asks the database for them. */
export async function readReplacedOrganizations(db: Database): Promise<ReplacedOrganizations> {
  let replacements: ReadonlyMap<string, string> = new Map()
  async function refresh(): Promise<void> {
    const rows = await db.select().from(replacedOrganizations)
    replacements = new Map(rows.map(({ organization, replacedBy }) => [organization, replacedBy]))
  }
  await refresh()
  return { replacementOf: (organization) => replacements.get(organization), refresh }
}
