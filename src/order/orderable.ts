import { and, eq } from 'drizzle-orm'
import { findOrderabilityReasons } from '../catalogue/orderability.js'
import { inIds } from '../db/sql/conditions.js'
import { findItemRelations, relationErrorOf, type UnrelatedItem } from '../device/relation.js'
import { loadDevices } from '../device/store.js'
import type { Call } from '../platform/auth/call.js'
import type { Problem, ProblemOptions } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import { isOpen } from './model/states.js'
import { type LineRow, type OrderRow, orderLines } from './store/tables.js'
import { visibleTo } from './store/visibility.js'
import { orderProblem } from './texts.js'

/** A reason why an order cannot be ordered today. */
export interface OrderabilityError<L> {
  /** The line with the error; undefined for an error of the parties. */
  line: L | undefined
  /** The member of the line. */
  member: 'item' | 'relatedTo'
  problemAt(pointer: string, options?: ProblemOptions): Problem
}

/** The members of a line that determine its relation to a device. */
type LineRelation = Pick<LineRow, 'itemId' | 'action' | 'relatedTo' | 'status'>

/**
 * Checks that the open lines of an order can be ordered today and relate to devices in use, and
 * that closed lines relate to devices of the same buyer and patient. Runs when a line is added or
 * changed, and again when the order is submitted.
 */
export async function findOrderabilityErrors<L extends LineRelation>(
  ports: Pick<Ports, 'db' | 'today'>,
  call: Call,
  { buyerId, sellerId, patient }: Pick<OrderRow, 'buyerId' | 'sellerId' | 'patient'>,
  lines: readonly L[]
): Promise<OrderabilityError<L>[]> {
  const open = lines.filter((line) => isOpen(line.status))
  const itemIds = open.map((line) => line.itemId)
  const reasons = await findOrderabilityReasons(ports, { buyerId, sellerId, patient }, itemIds)
  const relations = await findRelationErrors(ports, call, patient, lines)
  return [
    ...reasons.flatMap(({ itemId, problemAt }) => {
      const concerned = itemId === undefined ? [undefined] : open.filter((line) => line.itemId === itemId)
      return concerned.map((line) => ({ line, member: 'item' as const, problemAt }))
    }),
    ...relations.map(({ line, name }) => ({
      line,
      member: 'relatedTo' as const,
      problemAt: (pointer: string, options?: ProblemOptions) =>
        orderProblem(name, pointer, { form: '' }, options)
    }))
  ]
}

/** A reason why a line cannot relate to a device: the name of the problem. */
interface RelationError<L> {
  line: L
  name: 'dangling-reference.relatedLine' | 'device-not-in-use' | UnrelatedItem
}

/**
 * Finds the reasons why lines of an order cannot relate to their devices. The caller is the buyer.
 * A closed line shows its device, so its reference must be valid, but its device need not be in
 * use. The orders that delivered the devices become subjects of the audit record.
 * @param patient the patient of the order.
 */
async function findRelationErrors<L extends LineRelation>(
  ports: Pick<Ports, 'db'>,
  call: Call,
  patient: string,
  lines: readonly L[]
): Promise<RelationError<L>[]> {
  const related = lines.filter(({ relatedTo }) => relatedTo !== null)
  if (related.length === 0) return []
  const ids = related.map(({ relatedTo }) => relatedTo ?? '')
  const [known, devices, items] = await Promise.all([
    findLines(ports, call, patient, ids),
    loadDevices(ports, call, ids),
    findItemRelations(
      ports.db,
      related.map(({ itemId }) => itemId)
    )
  ])
  return related.flatMap((line): RelationError<L>[] => {
    const id = line.relatedTo ?? ''
    if (!known.has(id)) return [{ line, name: 'dangling-reference.relatedLine' }]
    const device = devices.get(id)
    if (device) call.auditContext.addSubject(patient, device.orderId)
    if (!isOpen(line.status)) return []
    if (!device || device.until !== null) return [{ line, name: 'device-not-in-use' }]
    const name = relationErrorOf(line.action, items.get(line.itemId), device)
    return name === undefined ? [] : [{ line, name }]
  })
}

/** The ids of the given lines that the caller's organization ordered for the patient. */
async function findLines(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  patient: string,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const rows = await db
    .select({ id: orderLines.id })
    .from(orderLines)
    .where(and(inIds(orderLines.id, ids), eq(orderLines.patient, patient), visibleTo(orderLines, call)))
  return new Set(rows.map(({ id }) => id))
}
