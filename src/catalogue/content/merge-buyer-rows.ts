import { resolvePartiesByName } from '../../agreement/party-names.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { authorizeAs } from '../../platform/auth/scope.js'
import { forEachYielding, mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { FieldErrors } from '../../platform/errors/field-errors.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import type { Ports } from '../../ports.js'
import type { AnnotationValues } from '../annotation/annotation.store.js'
import { checkAnnotationValues } from '../annotation/check-annotations.js'
import { type BuyerPart, buyerPartRules } from '../catalogue.access.js'
import { catalogueProblem } from '../problems.js'
import type { WhiteListPair } from '../white-list/white-list.store.js'
import type { CatalogueContent } from './catalogue-content.js'
import { loadAnnotations, loadWhiteList } from './content.queries.js'
import type { Plan } from './plan-items.js'

export interface BuyerRow<V> {
  index: number
  values: V
}

/** The rows of a workbook's content that belong to buyers. */
export interface BuyerRows<A = AnnotationValues, W = WhiteListPair> {
  annotations: BuyerRow<A>[]
  whiteList: BuyerRow<W>[]
}

/** Rows that are valid except for their items, which may not exist yet. */
export type CheckedRows = BuyerRows<Omit<AnnotationValues, 'itemId'>, Omit<WhiteListPair, 'itemId'>>

/**
 * Validates the buyers of the buyers' parts, which the caller's organization administers, and the
 * values of annotations. Calls the terminology server, so it must run before the transaction.
 */
export async function validateBuyerRows(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  content: CatalogueContent
): Promise<CheckedRows> {
  const annotators = await buyerIds(ports, call, errors, content, 'annotations')
  const entries = await buyerIds(ports, call, errors, content, 'whiteList')
  // The value of an annotation without a valid buyer is validated anyway.
  const annotations = content.annotations.flatMap(({ name, value }, index) =>
    name !== undefined && value ? [{ name, value, index, pointer: `/annotations/${index}` }] : []
  )
  return {
    annotations: await checkAnnotationValues(ports, call, errors, annotations, (at) =>
      annotators.get(annotations[at]?.index ?? -1)
    ),
    whiteList: [...entries].map(([index, buyerId]) => ({ index, values: { buyerId } }))
  }
}

/** The valid buyers of a part, by the index of their rows. */
async function buyerIds(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  content: CatalogueContent,
  part: BuyerPart
): Promise<Map<number, string>> {
  if (content[part].length === 0) return new Map()
  const refs = content[part].flatMap(({ buyer: text }, index) => {
    const pointer = `/${part}/${index}/buyer`
    return text === undefined ? [] : [{ index, pointer, text, role: 'BUYER', scope: 'administered' } as const]
  })
  const found = await resolvePartiesByName(ports, authorizeAs(call, buyerPartRules[part]), errors, refs)
  return new Map(
    refs.flatMap(({ index }, at) => {
      const id = found[at]?.id
      return id === undefined ? [] : [[index, id]]
    })
  )
}

/**
 * The rows that do not exist yet, with their items.
 * @param catalogueId undefined for a new catalogue.
 */
export async function newBuyerRows(
  { tx, call }: UnitOfWork,
  errors: FieldErrors,
  content: CatalogueContent,
  catalogueId: string | undefined,
  plan: ItemNames,
  checked: CheckedRows
): Promise<BuyerRows> {
  const stored = <V>(rows: readonly unknown[], load: (id: string) => PromiseLike<V[]>) =>
    catalogueId === undefined || rows.length === 0 ? [] : load(catalogueId)
  return {
    annotations: await newRows(errors, plan, content, {
      part: 'annotations',
      checked: checked.annotations,
      stored: await stored(checked.annotations, (id) => loadAnnotations(tx, id, call)),
      keyOf: ({ itemId, buyerId, name, system, code }) =>
        JSON.stringify([itemId, buyerId, withoutControlCharacters(name), system, code]),
      duplicate: ['duplicate-annotation.repeatedRow', 'value']
    }),
    whiteList: await newRows(errors, plan, content, {
      part: 'whiteList',
      checked: checked.whiteList,
      stored: await stored(checked.whiteList, (id) => loadWhiteList(tx, id, call)),
      keyOf: ({ buyerId, itemId }) => `${buyerId} ${itemId}`,
      duplicate: ['duplicate-entry.repeatedRow', 'item']
    })
  }
}

type ItemNames = Pick<Plan, 'find' | 'isDuplicate'>

interface PartRows<V> {
  part: BuyerPart
  checked: readonly BuyerRow<Omit<V, 'itemId'>>[]
  stored: readonly V[]
  /** A key that is equal for duplicate rows. */
  keyOf: (values: V) => string
  /** Name and member of the problem of a duplicate row. */
  duplicate: readonly ['duplicate-annotation.repeatedRow' | 'duplicate-entry.repeatedRow', string]
}

async function newRows<V extends { itemId: string }>(
  errors: FieldErrors,
  { find, isDuplicate }: ItemNames,
  content: CatalogueContent,
  { part, checked, stored, keyOf, duplicate: [problem, member] }: PartRows<V>
): Promise<BuyerRow<V>[]> {
  const items = await mapYielding(content[part], ({ item }, at) => {
    const found = item && find(item)
    if (item && !found && !isDuplicate(item))
      errors.add(catalogueProblem('dangling-reference.rowItem', `/${part}/${at}/item`))
    return found
  })
  const existing = new Set(stored.map(keyOf))
  const sent = new Set<string>()
  const added: BuyerRow<V>[] = []
  await forEachYielding(checked, ({ index, values }) => {
    const itemId = items[index]?.id
    if (itemId === undefined) return
    const row = { ...values, itemId } as V
    const key = keyOf(row)
    if (sent.has(key)) errors.add(catalogueProblem(problem, `/${part}/${index}/${member}`))
    sent.add(key)
    if (!existing.has(key)) added.push({ index, values: row })
  })
  return added
}
