import { and, eq, isNull } from 'drizzle-orm'
import { findItemRelations, type ItemRelation } from '../../catalogue/lookup.js'
import { catalogueProblem } from '../../catalogue/problems.js'
import { inIds } from '../../db/sql/conditions.js'
import type { Call } from '../../platform/auth/call.js'
import type { Words } from '../../platform/errors/language.js'
import { type MakeProblem, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { orderProblem } from '../model/problems.js'
import { type LineRow, orderLines, orders } from '../store/tables.js'
import { buyerParties, orderVisibleTo } from '../store/visibility.js'
import { loadDevices, type StoredDevice } from './line-devices.js'

/** What the relation of a line to a device depends on. */
export type LineRelation = Pick<LineRow, 'itemId' | 'action' | 'relatedTo'>

/** A reason why a line cannot relate to a device. */
export interface RelationFault<L> {
  line: L
  make: MakeProblem<string>
  code: string
  detail: Words
}

/** The detail for a reference that leads to no line. */
export const invalidRelationDetail: Words = {
  en: 'It must be the URL of an order line of your organization, for the same patient.',
  da: 'Det skal være adressen på en linje i din organisation til samme patient.'
}

/**
 * Finds the reasons why lines of an order cannot relate to their devices. The caller is the buyer.
 * The orders that delivered them become subjects of the audit record.
 * @param patient the patient of the order.
 */
export async function findRelationFaults<L extends LineRelation>(
  ports: Pick<Ports, 'db'>,
  call: Call,
  patient: string,
  lines: readonly L[]
): Promise<RelationFault<L>[]> {
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
  return related.flatMap((line) => {
    const id = line.relatedTo ?? ''
    const fault = <C extends string>(make: MakeProblem<C>, code: C, detail: Words): RelationFault<L> => ({
      line,
      make: make as MakeProblem<string>,
      code,
      detail
    })
    if (!known.has(id)) return [fault(problem, 'dangling-reference', invalidRelationDetail)]
    const device = devices.get(id)
    if (device) call.auditContext.addSubject(patient, device.orderId)
    if (!device || device.until !== null)
      return [
        fault(orderProblem, 'device-not-in-use', {
          en: 'It must be an order line whose device is in use.',
          da: 'Det skal være en linje, hvis udstyr er i brug.'
        })
      ]
    const detail = misfitOf(line.action, items.get(line.itemId), device)
    return detail === undefined ? [] : [fault(catalogueProblem, 'unrelated-item', detail)]
  })
}

/** Says why an item does not serve a device; undefined if it does. */
function misfitOf(action: string, item: ItemRelation | undefined, device: StoredDevice): Words | undefined {
  if (action === 'DELIVER')
    return {
      en: 'It must be left out of a line with the action DELIVER.',
      da: 'Det skal udelades af en linje med handlingen DELIVER.'
    }
  if (!item || item.id === device.itemId) return undefined
  if (item.type === 'DeviceModel')
    return action === 'REPLACE'
      ? undefined
      : {
          en: 'It needs as item of the line the model of the device, or a service for it.',
          da: 'Det kræver, at linjens vare er udstyrets model eller en ydelse til den.'
        }
  const { modelId, manufacturer, model } = item
  const isSameModel = manufacturer === device.model.manufacturer && model === device.model.model
  return modelId === null || modelId === device.itemId || isSameModel
    ? undefined
    : {
        en: 'It is another device model than the service is for.',
        da: 'Det er en anden model end den, ydelsen er til.'
      }
}

/** The ids of those of the lines that the caller's organization ordered for the patient. */
async function findLines(
  { db }: Pick<Ports, 'db'>,
  call: Call,
  patient: string,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const rows = await db
    .select({ id: orderLines.id })
    .from(orderLines)
    .innerJoin(orders, eq(orders.id, orderLines.orderId))
    .innerJoin(buyerParties, eq(buyerParties.id, orders.buyerId))
    .where(
      and(
        inIds(orderLines.id, ids),
        isNull(orderLines.deletedAt),
        eq(orders.patient, patient),
        orderVisibleTo(call)
      )
    )
  return new Set(rows.map(({ id }) => id))
}
