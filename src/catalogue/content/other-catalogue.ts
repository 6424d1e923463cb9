import { and, eq, ne, or, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/driver/database.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { identifierForms } from '../../platform/text/numbers.js'
import type { Ports } from '../../ports.js'
import { catalogueProblem } from '../problems.js'
import { catalogueResource } from '../resources.js'
import { type CatalogueRow, catalogues } from '../tables.js'
import { UNKNOWN_SELLER } from './merge-catalogue.js'
import { identifierKey } from './merge-identifiers.js'

/**
 * Checks that the workbook is not that of another catalogue of the same seller. If there are other
 * errors, the problem is added to them, so that the caller gets all errors at once.
 * @throws Problem `catalogue-exists`, `other-catalogue` if there is no other error.
 */
export async function checkOtherCatalogue(
  { resourceUrls }: Pick<Ports, 'resourceUrls'>,
  { tx }: UnitOfWork,
  errors: FieldErrors,
  before: CatalogueRow | undefined,
  after: CatalogueRow
): Promise<void> {
  const other = after.sellerId === UNKNOWN_SELLER ? undefined : await findOtherCatalogue(tx, before, after)
  if (!other) return
  const { name, member } = other
  const url = resourceUrls.url(catalogueResource, other.id)
  const reason = member === 'name' ? 'sameName' : 'sameIdentifier'
  const text = before ? (`other-catalogue.${reason}` as const) : 'catalogue-exists.sameIdentifier'
  const problemAt = (pointer: string | null) =>
    catalogueProblem(text, pointer, { name, url }, { members: { catalogue: url, name } })
  const isOnly = errors.all.length === 0
  errors.add(problemAt(`/catalogue/${member}`))
  if (isOnly) throw problemAt(null)
}

/**
 * Finds another catalogue of the seller with one of the new identifiers or, in an update, with the
 * new name. Several catalogues may have the same name.
 * @returns the other catalogue, and the member that suggests it: `name`, or `identifiers/0`.
 */
async function findOtherCatalogue(
  tx: Transaction,
  before: CatalogueRow | undefined,
  after: CatalogueRow
): Promise<{ id: string; name: string; member: string } | undefined> {
  const known = new Set(before?.identifiers.map(identifierKey))
  const added = after.identifiers.filter((each) => each.value !== '' && !known.has(identifierKey(each)))
  const isRenamed = before !== undefined && before.name !== after.name
  if (added.length === 0 && !isRenamed) return undefined
  const forms = added.flatMap(({ system, value }) => identifierForms(value).map((form) => ({ system, form })))
  const systems = sql.param(forms.map(({ system }) => system))
  const values = sql.param(forms.map(({ form }) => form))
  const sameName = sql`lower(btrim(${catalogues.name})) = lower(btrim(${after.name}))`
  const sameIdentifier = sql`exists (
    select from jsonb_array_elements(${catalogues.identifiers}) as each
    join unnest(${systems}::text[], ${values}::text[]) as sent (system, value)
      on each ->> 'system' = sent.system and each ->> 'value' = sent.value)`
  const [found] = await tx
    .select(writtenColumns(catalogues))
    .from(catalogues)
    .where(
      and(
        eq(catalogues.sellerId, after.sellerId),
        ne(catalogues.id, after.id),
        or(sameIdentifier, isRenamed ? sameName : undefined)
      )
    )
    .orderBy(sql`${sameIdentifier} desc`, catalogues.id)
    .limit(1)
  if (!found) return undefined
  const keys = new Set(found.identifiers.map(identifierKey))
  const at = after.identifiers.findIndex((each) => added.includes(each) && keys.has(identifierKey(each)))
  return { id: found.id, name: found.name, member: at < 0 ? 'name' : `identifiers/${at}` }
}

/**
 * Lets only one import at a time create a catalogue of this seller, until its transaction ends: two
 * uploads of the same workbook make one catalogue.
 */
export const lockNewCatalogues = (tx: Transaction, sellerId: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`new catalogue of ${sellerId}`}, 0))`)
