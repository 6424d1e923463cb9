import { newId } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import { FieldErrors } from '../platform/errors/field-errors.js'
import { formUnlessIn } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'
import { resolveCode } from '../terminology/known-code.js'
import { addTrace, type OrderChange, organizationName } from './change.js'
import { changeOrder, saveChange } from './change-order.js'
import { orderReferences, resolveOrderContent } from './content.js'
import { orderLineProblem } from './line.texts.js'
import type { OrderInput } from './model/order.schemas.js'
import type { OrderLineInput } from './model/order-line.schemas.js'
import { orderResource } from './model/resources.js'
import { newLineDefaults, noDevices, resolveNewLines } from './new-lines.js'
import { checkNotesWithinLimits, draftNotes } from './notes.js'
import { findOrderabilityErrors } from './orderable.js'
import { withCanonicalReferences } from './references.js'
import type { OrderSnapshot } from './store/load-order.js'
import type { OrderRow } from './store/tables.js'
import { orderProblem } from './texts.js'

/**
 * Creates an order as a DRAFT, with its lines and its first trace line, and returns its id.
 * @throws Problem `not-initial-status` for any other status, `too-many-notes`,
 * `clinical-backend-unavailable`, and those of {@link resolveOrderContent}, {@link resolveNewLines}
 * and {@link findOrderabilityErrors}.
 */
export async function createOrder(ports: Ports, call: Call, body: OrderInput): Promise<string> {
  const input = await withCanonicalReferences(ports, orderReferences, body)
  const errors = new FieldErrors()
  const { buyer, seller, columns } = await resolveOrderContent(ports, call, errors, input, 'invalid-body')
  const status = resolveCode(ports.terminology, errors, 'order-status', input.status ?? 'DRAFT', '/status')
  if (status !== '' && status !== 'DRAFT') errors.add(orderProblem('not-initial-status', '/status'))
  const requested = (input.orderLines ?? []).map((line, at) => ({
    input: line,
    pointer: `/orderLines/${at}`
  }))
  const lines = await resolveNewLines(ports, errors, requested)
  const organization = organizationName(call, { buyer, seller })
  const notesAt = (at: Date) => draftNotes(input.notes, { call, organization, at })
  checkNotesWithinLimits(errors, [], notesAt(new Date()), ports.limits)
  errors.check()
  if (!buyer || !seller) throw new Error('valid references lead to parties')
  const assertOrderable = async () => {
    if (lines.length === 0) return
    for (const { line, member, problemAt } of await findOrderabilityErrors(ports, call, columns, lines))
      errors.add(problemAt(line ? `/orderLines/${lines.indexOf(line)}/${member}` : '/seller'))
    errors.check()
  }
  await assertOrderable()
  await ports.clinical.assertExists(call, 'Patient', columns.patient, '/receiver/patient')
  // A contract or a catalogue may have changed during the request to the clinical backend.
  await assertOrderable()
  const at = new Date()
  const order = { ...columns, priority: input.priority ?? false, notes: notesAt(at) }
  const change = beginDraft(call, at, order, { buyer, seller })
  const { id } = change.order
  change.lines = lines.map((line) => ({
    ...newLineDefaults,
    ...line,
    ...noDevices,
    id: newId(),
    orderId: id,
    createdAt: at
  }))
  await saveChange(ports, change)
  return id
}

/**
 * Adds a line to a draft of the caller and returns its id.
 * @throws Problem `dangling-reference`, `order-not-draft`, `not-initial-status`, `too-many-lines`,
 * and those of {@link findOrderabilityErrors}.
 */
export async function createOrderLine(ports: Ports, call: Call, input: OrderLineInput): Promise<string> {
  const { resourceUrls, limits } = ports
  const errors = new FieldErrors()
  const [resolved] = await resolveNewLines(ports, errors, [{ input, pointer: '' }])
  const dangling = () => {
    const form = formUnlessIn(resourceUrls, orderResource, input.order)
    errors.add(orderLineProblem('dangling-reference.order', '/order', { form }))
    return errors.toProblem()
  }
  const orderId = resourceUrls.id(orderResource, input.order)
  if (orderId === undefined || !resolved) throw dangling()
  const id = newId()
  const addLine = async (change: OrderChange) => {
    errors.check()
    const { status } = change.order
    if (status !== 'DRAFT') throw orderProblem('order-not-draft.status', '/order', { status })
    if (change.lines.length >= limits.orderLines)
      throw orderLineProblem('too-many-lines.max', '/order', { max: limits.orderLines })
    const line = { ...newLineDefaults, ...resolved, ...noDevices, id, orderId, createdAt: change.at }
    for (const error of await findOrderabilityErrors(ports, call, change.order, [line]))
      errors.add(error.problemAt(error.line ? `/${error.member}` : '/order'))
    errors.check()
    change.lines = [...change.lines, line]
  }
  await changeOrder(ports, call, { id: orderId }, addLine, dangling)
  return id
}

/** The columns of an order that later changes or PostgreSQL set. */
const draftDefaults = {
  number: '',
  status: 'DRAFT',
  statusReasonCode: null,
  statusReasonText: null,
  submittedAt: null,
  answeredAt: null,
  deletedAt: null,
  awaiting: null,
  hasReturnedLine: false,
  wasReturned: false,
  wasLate: false,
  answerDueAt: null,
  deliveryDueAt: null,
  revision: 0,
  traceCount: 0
} as const

type DraftColumns = Omit<OrderRow, 'id' | 'createdAt' | 'changedAt' | keyof typeof draftDefaults>

/** Begins the change that creates an order as a DRAFT. The caller adds lines to it. */
export function beginDraft(
  call: Call,
  at: Date,
  columns: DraftColumns,
  { buyer, seller }: Pick<OrderSnapshot, 'buyer' | 'seller'>
): OrderChange {
  const order: OrderRow = { ...draftDefaults, ...columns, id: newId(), createdAt: at, changedAt: at }
  const snapshot = { order, lines: [], buyer, seller, readAt: at }
  const change: OrderChange = { call, at, until: at, snapshot, order, lines: [], traces: [] }
  addTrace(change, { code: 'order-created', supplementaryText: 'Status: DRAFT.' })
  return change
}
