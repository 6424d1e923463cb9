import { sql } from 'drizzle-orm'
import { withAuditedTransaction } from '../../audit/audited-transaction.js'
import type { OrderParties } from '../../catalogue/orderability.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { newId } from '../../db/unit-of-work.js'
import { insertEvents } from '../../ledger/insert.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/problem.js'
import { assertRevision } from '../../platform/rest/revision.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { assertOrderable, concerns } from '../change/assert-orderable.js'
import { changeOrderWithRetry, organizationName } from '../change/change-order.js'
import { eventsOfNewOrder } from '../change/order-events.js'
import type { OrderInput } from '../model/order.schemas.js'
import { orderProblem } from '../model/problems.js'
import { orderLines, orders, traceLines } from '../store/tables.js'
import { timeOfChange } from '../store/time-of-change.js'
import { orderById } from '../store/visibility.js'
import { type NewLine, resolveNewLines } from './new-lines.js'
import { checkNotesWithinLimits, draftNotes } from './notes.js'
import { resolveOrderContent } from './resolve-order-content.js'

/**
 * Creates an order as a DRAFT, with its lines and its first trace line, and returns its id.
 * @throws Problem `not-initial-status` for any other status, `too-many-notes`,
 * `clinical-backend-unavailable`, and those of {@link resolveOrderContent}, {@link resolveNewLines}
 * and {@link assertOrderable}.
 */
export async function createOrder(ports: Ports, call: Call, input: OrderInput): Promise<string> {
  const requested = (input.orderLines ?? []).map((line, at) => ({ input: line, pointer: linePointer(at) }))
  const others = new FieldErrors()
  checkInitialStatus(ports, others, input.status)
  const lines = await resolveNewLines(ports, others, requested)
  const { buyer, seller, columns } = await resolveOrderContent(ports, call, input, 'invalid-body', {
    check(errors, parties) {
      errors.append(others)
      const author = { call, organization: organizationName(call, parties), at: new Date() }
      checkNotesWithinLimits(errors, [], draftNotes(input.notes, author), ports.limits)
    }
  })
  if (lines.length > 0) await assertLinesOrderable(ports, call, columns, lines)
  await ports.clinical.assertExists(call, 'Patient', columns.patient, '/receiver/patient')
  const organization = organizationName(call, { buyer, seller })
  return withAuditedTransaction(ports, call, async ({ tx, at }) => {
    const id = newId()
    const notes = draftNotes(input.notes, { call, organization, at })
    call.auditContext.addSubject(columns.patient, id)
    await insertAll(
      tx,
      orders,
      [
        {
          ...columns,
          status: 'DRAFT',
          priority: input.priority ?? false,
          notes,
          revision: 1,
          traceCount: 1,
          eventCount: 1,
          createdAt: at
        }
      ],
      { id, changedAt: timeOfChange(sql`${at.toISOString()}::timestamptz`) }
    )
    const newLines = lines.map((line) => ({ ...line, id: newId(), eventCount: 1, createdAt: at }))
    await insertAll(tx, orderLines, newLines, { orderId: id })
    await insertAll(
      tx,
      traceLines,
      [
        {
          id: newId(),
          seq: 1,
          timestamp: at,
          createdByOrganization: organization,
          text: 'Order created.',
          supplementaryText: 'Status: DRAFT.'
        }
      ],
      { orderId: id }
    )
    await insertEvents(tx, eventsOfNewOrder(call, at, id, newLines))
    return id
  })
}

const linePointer = (at: number) => `/orderLines/${at}`

const assertLinesOrderable = (
  ports: Ports,
  call: Call,
  order: OrderParties,
  lines: readonly NewLine[]
): Promise<void> =>
  assertOrderable(ports, call, order, lines, {
    obstacle: (obstacle) =>
      obstacle.itemId === undefined
        ? [{ pointer: '/seller' }]
        : lines.flatMap((line, at) =>
            concerns(obstacle, line) ? [{ pointer: `${linePointer(at)}/item` }] : []
          ),
    relation: (line) => ({ pointer: `${linePointer(lines.indexOf(line))}/relatedTo` })
  })

function checkInitialStatus({ terminology }: Ports, errors: FieldErrors, input: OrderInput['status']): void {
  const status = resolveCode(terminology, errors, 'order-status', input ?? 'DRAFT', '/status')
  if (status !== '' && status !== 'DRAFT')
    errors.add(orderProblem, 'not-initial-status', '/status', {
      en: 'It must be DRAFT. Create the order, add its lines, then submit it.',
      da: 'Det skal være DRAFT. Opret bestillingen, tilføj linjer, og afsend den så.'
    })
}

/**
 * Deletes a draft. Nobody sees it any more, but its row, lines and trace stay in the database.
 * @throws Problem `not-found`, `not-deletable`, `precondition-failed`.
 */
export async function deleteOrder(ports: Ports, call: Call, id: string): Promise<void> {
  await changeOrderWithRetry(ports, call, orderById(id), (change) => {
    assertRevision(call, () => String(change.snapshot.order.revision))
    if (change.order.status !== 'DRAFT')
      throw orderProblem('not-deletable', {
        en: `The order is ${change.order.status}. Only a DRAFT can be deleted. Cancel a submitted order instead.`,
        da: `Bestillingen er ${change.order.status}. Kun en DRAFT kan slettes. Annullér i stedet en afsendt bestilling.`
      })
    change.order = { ...change.order, deletedAt: change.at }
  })
}
