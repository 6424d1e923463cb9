import type { Call } from '../platform/auth/call.js'
import { assertRevision } from '../platform/rest/revision.js'
import type { Ports } from '../ports.js'
import { setLine } from './change.js'
import { changeOrder, orderNotFound } from './change-order.js'
import { isOpen } from './model/states.js'
import { findOrderOfLines } from './store/find-order.js'
import { lineRevision } from './store/load-order.js'
import { orderProblem } from './texts.js'

/**
 * Deletes a draft. Later requests for the order get 404, but its row, lines and trace stay in the
 * database.
 * @throws Problem `not-found`, `not-deletable`, `precondition-failed`.
 */
export const deleteOrder = (ports: Ports, call: Call, id: string): Promise<void> =>
  changeOrder(ports, call, { id }, (change) => {
    assertRevision(call, () => String(change.order.revision))
    if (change.order.status !== 'DRAFT') throw orderProblem('not-deletable')
    change.order = { ...change.order, deletedAt: change.at }
  })

/**
 * Deletes an open line of a draft. Later requests for the line get 404, but its row stays in the
 * database. A cancelled line cannot be deleted, because the trace refers to it.
 * @throws Problem `not-found`, `not-deletable`, `precondition-failed`.
 */
export async function deleteOrderLine(ports: Ports, call: Call, id: string): Promise<void> {
  await changeOrder(ports, call, await findOrderOfLines(ports.db, [id]), (change) => {
    const line = change.lines.find((each) => each.id === id)
    if (!line) throw orderNotFound()
    assertRevision(call, () => lineRevision(line))
    if (change.order.status !== 'DRAFT' || !isOpen(line.status)) throw orderProblem('not-deletable')
    setLine(change, id, { deletedAt: change.at })
  })
}
