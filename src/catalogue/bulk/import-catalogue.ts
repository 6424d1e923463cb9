import { isDeepStrictEqual } from 'node:util'
import { eq } from 'drizzle-orm'
import { sellerScope } from '../../agreement/lookup.js'
import { resolvePartyNames } from '../../agreement/party-names.js'
import { newId, type UnitOfWork, withTransaction } from '../../db/unit-of-work.js'
import { canUse } from '../../platform/auth/access.js'
import type { Actor } from '../../platform/auth/actor.js'
import { type FieldErrors, problem } from '../../platform/errors/problem.js'
import { isId } from '../../platform/rest/resource-urls.js'
import { printableText } from '../../platform/util/printable-text.js'
import type { Ports } from '../../ports.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import { saveAnnotations } from '../annotation/annotation.store.js'
import { hasForeignRelations } from '../catalogue/catalogue.store.js'
import { saveNewItems } from '../item/item.store.js'
import { catalogueProblem } from '../problems.js'
import { itemKind } from '../resources.js'
import { catalogues } from '../tables.js'
import { assertSellersAdministered } from '../visibility.js'
import {
  type CatalogueRow,
  findCatalogue,
  holdCatalogue,
  itemsElsewhere,
  itemsOf,
  updateItems
} from './bulk.store.js'
import { type CatalogueContent, keepIfEqual } from './catalogue-content.js'
import { addedAnnotations, checkedAnnotations } from './merge-annotations.js'
import { assertWholeIdentifiers, identifiersAfter, withFurther } from './merge-identifiers.js'
import { type Plan, planItems } from './plan-items.js'

/** What became, or in a dry run would become, of a catalogue and its content. */
export interface ImportReport {
  catalogueId: string
  catalogue: 'created' | 'changed' | 'unchanged'
  items: { created: number; changed: number; unchanged: number }
  annotations: { created: number; unchanged: number }
}

export interface ImportOptions {
  /** The catalogue that is brought up to date; without it a new one is made. */
  id: string | undefined
  /** Checks everything and writes nothing. */
  dryRun: boolean
  /** Called with how far the import is. */
  onProgress?: (progress: ImportProgress) => void
  /** The last step of the transaction, awaited before the commit; an error it throws rolls everything back. */
  beforeCommit?: (work: UnitOfWork, report: ImportReport) => Promise<void>
}

export interface ImportProgress {
  phase: 'checking' | 'writing'
  rowsDone: number
  rows: number
}

/**
 * Makes a catalogue out of its content, or brings it up to date: items are found by their identifiers, new ones are added, changed
 * ones changed, the others left. All of it in one transaction, or nothing.
 * @param faults takes everything that is wrong; with the pointer `/items/3/relatedTo` into the content.
 * @throws Problem of the first fault, when there are any; `not-found`; `terminology-unavailable`.
 */
export async function importCatalogue(
  ports: Ports,
  actor: Actor,
  faults: FieldErrors,
  content: CatalogueContent,
  { id, dryRun, onProgress = () => {}, beforeCommit }: ImportOptions
): Promise<ImportReport> {
  if (id !== undefined && !(isId(id) && (await findCatalogue(ports, actor, id)))) throw catalogueNotFound()
  const [seller] = await resolvePartyNames(ports, actor, faults, [
    {
      ...{ pointer: '/catalogue/seller', text: content.catalogue.seller, role: 'SELLER' },
      scope: sellerScope(actor)
    }
  ])
  onProgress({ phase: 'checking', rowsDone: 0, rows: content.items.length + content.annotations.length })
  const annotations = await checkedAnnotations(ports, actor, faults, content)
  const run = async (work: UnitOfWork): Promise<ImportReport> => {
    const before = id === undefined ? undefined : await holdCatalogue(work, ports, id)
    if (id !== undefined && !before) throw catalogueNotFound()
    if (seller) await assertSellersAdministered(work, ports, [seller.id])
    const after = catalogueAfter(work, content, before, seller?.id ?? before?.sellerId)
    await assertCatalogue(work, faults, content, before, after)
    const plan = await planned(ports, work, faults, content, before, after)
    const added = await addedAnnotations(work, faults, content, before, plan, annotations)
    faults.check()
    const isChanged = !before || !isDeepStrictEqual(before, after)
    if (!dryRun) {
      if (!before) await work.tx.insert(catalogues).values(after)
      else if (isChanged) await work.tx.update(catalogues).set(after).where(eq(catalogues.id, after.id))
      const rows = plan.created.length + plan.changed.length + added.length
      let rowsDone = 0
      const write = <T>(entries: readonly T[], save: (some: readonly T[]) => Promise<unknown>) =>
        inParts(entries, async (some) => {
          await save(some)
          rowsDone += some.length
          onProgress({ phase: 'writing', rowsDone, rows })
        })
      await write(plan.changed, (some) => updateItems(work, some.map(plan.rowOf)))
      await write(plan.created, (some) => saveNewItems(work, some.map(plan.rowOf)))
      await write(added, (some) => saveAnnotations(work, some))
    }
    const report: ImportReport = {
      catalogueId: after.id,
      catalogue: !before ? 'created' : isChanged ? 'changed' : 'unchanged',
      items: { created: plan.created.length, changed: plan.changed.length, unchanged: plan.unchanged },
      annotations: { created: added.length, unchanged: annotations.length - added.length }
    }
    await beforeCommit?.(work, report)
    return report
  }
  // A job notes its success, also of a dry run.
  return withTransaction(ports.db, actor, run, !dryRun || beforeCommit !== undefined)
}

/** Rows that are written with one statement. */
const part = 1000

async function inParts<T>(entries: readonly T[], save: (some: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < entries.length; at += part) await save(entries.slice(at, at + part))
}

const catalogueNotFound = () => problem('not-found', 'There is no such catalogue.')

/** Stands for a seller that nobody knows, which is a fault. */
const unknownSeller = ''

async function assertCatalogue(
  { tx }: UnitOfWork,
  faults: FieldErrors,
  { catalogue: { name, identifiers } }: CatalogueContent,
  before: CatalogueRow | undefined,
  after: CatalogueRow
): Promise<void> {
  if (printableText(name) === '' && (!before || printableText(before.name) !== ''))
    faults.add(catalogueProblem, 'text-required', '/catalogue/name', 'Fill it in.')
  assertWholeIdentifiers(faults, before?.identifiers, identifiers, '/catalogue')
  if (before && before.sellerId !== after.sellerId && (await hasForeignRelations(tx, before.id)))
    faults.add(
      catalogueProblem,
      'fixed-seller',
      '/catalogue/seller',
      'Items of this catalogue relate to others of its seller.'
    )
}

function catalogueAfter(
  { at }: UnitOfWork,
  { catalogue: { identifiers, name, status, untold, identifierRoom } }: CatalogueContent,
  before: CatalogueRow | undefined,
  sellerId = unknownSeller
): CatalogueRow {
  return {
    id: before?.id ?? newId(),
    identifiers: identifiersAfter(
      before?.identifiers,
      withFurther(before?.identifiers ?? [], identifiers, identifierRoom)
    ),
    sellerId,
    name: keepIfEqual(before?.name, name) ?? '',
    status: (untold.includes('status') ? before?.status : undefined) ?? status,
    createdAt: before?.createdAt ?? at
  }
}

async function planned(
  { resourceUrls }: Ports,
  { tx, at }: UnitOfWork,
  faults: FieldErrors,
  content: CatalogueContent,
  before: CatalogueRow | undefined,
  after: CatalogueRow
): Promise<Plan> {
  const idOf = (url: string) => resourceUrls.id(itemKind, url)
  const related = content.items.flatMap(({ relatedTo }) => relatedTo ?? [])
  const existing = {
    catalogueId: before?.id,
    items: before ? await itemsOf(tx, before.id) : [],
    elsewhere: after.sellerId === unknownSeller ? undefined : await itemsElsewhere(tx, after, related, idOf)
  }
  return planItems(faults, content, existing, { catalogueId: after.id, at, idOf })
}

/** Whether a caller's workbooks have annotations. */
export const mayAnnotate = (actor: Actor): boolean => canUse(actor, annotationAccess.create)

export type {
  CatalogueContent,
  ContentAnnotation,
  ContentItem,
  ItemName,
  OmittedColumns,
  SentAnnotation
} from './catalogue-content.js'
export { type AnsweredContent, exportCatalogue } from './export-catalogue.js'
