import { getTableColumns, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { memberSqlTypes, rowArrays } from '../db/sql/row-arrays.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import { fill, type LocalizedText } from '../platform/errors/language.js'
import type { ResourceType } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { catalogueProblem } from './problems.js'
import { catalogueProblems, catalogueTexts } from './texts.js'

/** A key that must be unique in a request and in the database, with its location in the body. */
interface UniqueEntry {
  key: string
  pointer: string
}

type DuplicateCode = 'duplicate-identifier' | 'duplicate-annotation' | 'duplicate-entry'

/**
 * Adds an error for each entry that exists already, with its URL, and for each entry that repeats
 * an earlier entry of the request.
 * @param stored URLs of the existing entries, by their keys.
 */
export function checkDuplicates(
  errors: FieldErrors,
  code: DuplicateCode,
  entries: readonly UniqueEntry[],
  stored: ReadonlyMap<string, string>
): void {
  const { remedy } = catalogueProblems[code]
  // `detail` already contains the URL. With a `resource`, `catalogueProblem` would prepend the URL.
  const add = (pointer: string, detail: LocalizedText, url?: string) => {
    const error = { pointer, code, detail, ...(url !== undefined && { resource: { url, pointer: '' } }) }
    errors.add(catalogueProblem(code, null, null, { errors: [error] }))
  }
  const pointers = new Map<string, string>()
  for (const { key, pointer } of entries) {
    const [url, earlier] = [stored.get(key), pointers.get(key)]
    if (url !== undefined) add(pointer, fill(catalogueTexts.existsAlready, { url, remedy }), url)
    else if (earlier !== undefined) add(pointer, fill(catalogueTexts.sameAsEarlier, { earlier, remedy }))
    else pointers.set(key, pointer)
  }
}

/** Rows of a table that must be unique by the values of these members. */
interface UniqueRows {
  code: DuplicateCode
  table: PgTable
  members: readonly string[]
  /** The id of the resource that a row belongs to. */
  id: AnyPgColumn
  resource: ResourceType
}

/**
 * Adds the errors of {@link checkDuplicates} for rows that a request creates.
 * @param except id of a resource that the rows may repeat.
 */
export async function checkUnique(
  { db, resourceUrls }: Pick<Ports, 'db' | 'resourceUrls'>,
  errors: FieldErrors,
  { code, table, members, id, resource }: UniqueRows,
  entries: readonly { values: object; pointer: string }[],
  except?: string
): Promise<void> {
  if (entries.length === 0) return
  const all = getTableColumns(table)
  const columns = Object.fromEntries(members.map((member) => [member, sql`${all[member]}`]))
  const sent = rowArrays(
    memberSqlTypes(table, members),
    entries.map(({ values }) => values)
  )
  const sentKeys = sql.raw(members.map((member) => `r."${member}"`).join(', '))
  const keyOf = (row: object) => JSON.stringify(members.map((member) => row[member as keyof typeof row]))
  const stored = await db
    .select({ resourceId: sql<string>`${id}`, ...columns })
    .from(table)
    .where(sql`(${sql.join(Object.values(columns), sql`, `)}) in (select ${sentKeys} from ${sent})`)
  checkDuplicates(
    errors,
    code,
    entries.map(({ values, pointer }) => ({ key: keyOf(values), pointer })),
    new Map(
      stored
        .filter(({ resourceId }) => resourceId !== except)
        .map((row) => [keyOf(row), resourceUrls.url(resource, row.resourceId)])
    )
  )
}
