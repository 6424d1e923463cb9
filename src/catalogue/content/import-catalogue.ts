import { isDeepStrictEqual } from 'node:util'
import { changeableSellers } from '../../agreement/lookup.js'
import { resolvePartiesByName } from '../../agreement/party-names.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { unitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { problem } from '../../platform/errors/problem.js'
import { assertRevision } from '../../platform/rest/revision.js'
import { isId } from '../../platform/urls/resource-urls.js'
import type { Ports } from '../../ports.js'
import { contentRevision, deleteExpiredHistory } from '../history/history.store.js'
import type { ChangeCounts } from '../history/tables.js'
import { itemResource } from '../resources.js'
import type { CatalogueRow } from '../tables.js'
import { findCatalogue, lockCatalogue } from '../visibility.js'
import type { CatalogueContent } from './catalogue-content.js'
import { loadItems, loadItemsElsewhere } from './content.queries.js'
import { type ContentChanges, describeChanges } from './describe-changes.js'
import { limitChanges } from './limit-changes.js'
import { type BuyerRows, newBuyerRows, validateBuyerRows } from './merge-buyer-rows.js'
import { mergeCatalogue, UNKNOWN_SELLER, validateCatalogue } from './merge-catalogue.js'
import { checkOtherCatalogue, lockNewCatalogues } from './other-catalogue.js'
import { type Plan, planItems } from './plan-items.js'
import { type ImportSource, writeImport } from './write-import.js'

/** The changes of an import, or of a dry run. */
export interface ImportReport {
  catalogueId: string
  /** The revision of the catalogue with its items before the import; null for a new catalogue. */
  revision: string | null
  /** Whether the import has an entry in the history, because it changed something. */
  isRecorded: boolean
  catalogue: 'created' | 'changed' | 'unchanged'
  items: { created: number; changed: number; unchanged: number }
  annotations: { created: number; unchanged: number }
  whiteList: { created: number; unchanged: number }
  changes: ContentChanges
}

export interface ImportOptions<T> {
  /** The catalogue to update. Undefined creates a new catalogue. */
  id: string | undefined
  /** For the history of the catalogue. */
  source: ImportSource
  /** Whether to validate everything and write nothing. */
  dryRun: boolean
  /** Whether to update the catalogue even if another catalogue has its new name or identifier. */
  isConfirmed?: boolean
  /** Makes the result of the import, which is stored for its `Idempotency-Key`. */
  toResult: (report: ImportReport) => T
}

/**
 * Creates or updates a catalogue from its content, in one transaction. Items are matched by their
 * identifiers. New items are added, changed items updated, and other items kept.
 * @param errors collects all errors, with pointers into the content such as `/items/3/relatedTo`.
 * @throws Problem of the first error; `catalogue-exists`, `other-catalogue`; `not-found`;
 *   `precondition-failed`, `terminology-unavailable`.
 */
export async function importCatalogue<T>(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  content: CatalogueContent,
  { id, source, dryRun, isConfirmed = false, toResult }: ImportOptions<T>
): Promise<T> {
  if (id !== undefined && !(isId(id) && (await findCatalogue(ports.db, call, id)))) throw catalogueNotFound()
  const [seller] = await resolvePartiesByName(ports, call, errors, [
    {
      pointer: '/catalogue/seller',
      text: content.catalogue.seller,
      role: 'SELLER',
      scope: changeableSellers(call)
    }
  ])
  const checked = await validateBuyerRows(ports, call, errors, content)
  const run = async (work: UnitOfWork): Promise<T> => {
    const before = id === undefined ? undefined : await lockCatalogue(work, id)
    if (id !== undefined && !before) throw catalogueNotFound()
    const revision = before ? await contentRevision(work.tx, before.id) : null
    assertRevision(call, () => revision ?? '')
    if (seller && !before && !dryRun) await lockNewCatalogues(work.tx, seller.id)
    const after = mergeCatalogue(work, content, before, seller?.id ?? before?.sellerId)
    await validateCatalogue(work, errors, content, before, after)
    const plan = await loadPlan(ports, work, errors, content, before, after)
    const added = await newBuyerRows(work, errors, content, before?.id, plan, checked)
    limitChanges(errors, ports.limits.bulkItems, plan, added)
    if (!isConfirmed) await checkOtherCatalogue(ports, work, errors, before, after)
    errors.check()
    const counts = countChanges(before, after, plan, added)
    const write = { source, before, after, counts, plan, added }
    const changes = await describeChanges(ports, work, content, write)
    if (!dryRun) await deleteExpiredHistory(work.tx)
    const isRecorded = !dryRun && changes.total > 0
    if (isRecorded) await writeImport(work, write)
    return toResult({
      catalogueId: after.id,
      revision,
      isRecorded,
      catalogue: counts.catalogue,
      items: { created: plan.created.length, changed: plan.changed.length, unchanged: plan.unchanged },
      annotations: countRows(added.annotations, checked.annotations),
      whiteList: countRows(added.whiteList, checked.whiteList),
      changes
    })
  }
  return unitOfWork(ports, call, run, { isWritten: () => !dryRun })
}

const countRows = (added: readonly unknown[], checked: readonly unknown[]) => ({
  created: added.length,
  unchanged: checked.length - added.length
})

const countChanges = (
  before: CatalogueRow | undefined,
  after: CatalogueRow,
  { created, changed }: Plan,
  { annotations, whiteList }: BuyerRows
): ChangeCounts => ({
  catalogue: !before ? 'created' : isDeepStrictEqual(before, after) ? 'unchanged' : 'changed',
  items: { created: created.length, changed: changed.length, withdrawn: 0 },
  annotations: { created: annotations.length, deleted: 0 },
  whiteList: { created: whiteList.length, deleted: 0 }
})

const catalogueNotFound = () => problem('not-found')

async function loadPlan(
  { resourceUrls }: Ports,
  { tx, at }: UnitOfWork,
  errors: FieldErrors,
  content: CatalogueContent,
  before: CatalogueRow | undefined,
  after: CatalogueRow
): Promise<Plan> {
  const idOf = (url: string) => resourceUrls.id(itemResource, url)
  const related = content.items.flatMap(({ relatedTo }) => relatedTo ?? [])
  const isSellerKnown = after.sellerId !== UNKNOWN_SELLER
  const existing = {
    items: before && (await loadItems(tx, before.id)),
    otherItems: isSellerKnown ? await loadItemsElsewhere(tx, after, related, idOf) : undefined
  }
  return planItems(errors, content.items, existing, { catalogueId: after.id, at, idOf })
}
