import { findItems } from '../../catalogue/lookup.js'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { fieldProblem, problem } from '../../platform/errors/problem.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import { type Operation, readOnly } from '../../platform/json/json-patch.js'
import type { CompiledSchema } from '../../platform/json/validation.js'
import { withoutTrailingSlash } from '../../platform/rest/resource-urls.js'
import type { Ports } from '../../ports.js'
import { requireCode } from '../../terminology/known-code.js'
import { assertOrderable } from '../change/assert-orderable.js'
import { changeOrder, type OrderChange } from '../change/change-order.js'
import { transitionLine } from '../change/transition.js'
import type { OrderLine, OrderLineInput, PatchedOrderLine } from '../model/order-line.schemas.js'
import { initialLineStatuses, isOpen, type LineStatus } from '../model/order-line.state.js'
import { orderProblem } from '../model/problems.js'
import { orderKind } from '../model/resources.js'
import { orderLineNotFound } from '../queries/order-line.queries.js'
import type { LineRow } from '../store/save-order.js'
import { orderSerializers } from '../store/serializers.js'
import { orderById, orderOfLine } from '../store/visibility.js'
import { requestedStatus } from './requested-status.js'

/**
 * Adds a line to a draft of the caller's and answers its id.
 * @throws Problem `dangling-reference`, `order-not-draft`, `not-initial-status`, and why the item cannot be ordered.
 */
export async function createOrderLine(ports: Ports, actor: Actor, input: OrderLineInput): Promise<string> {
  const { references, terminology, limits } = ports
  const orderId = references.id(orderKind, input.order)
  const id = newId()
  const status = initialStatus(ports, input.status)
  const action = requireCode(terminology, 'order-line-action', input.action, '/action')
  const itemId = await knownItem(ports, input.item)
  if (orderId === undefined) throw danglingOrder()
  await changeOrder(
    ports,
    actor,
    orderById(orderId),
    async (change) => {
      assertDraft(change)
      if (change.lines.length >= limits.referenceList)
        throw orderProblem('too-many-lines', `An order has ${limits.referenceList} lines at most.`)
      const line: LineRow = { id, orderId, itemId, status, action, createdAt: change.at, deletedAt: null }
      await assertOrderable(ports, change.order, [line], ({ itemId }) => ({
        pointer: itemId ? '/item' : '/order'
      }))
      change.lines = [...change.lines, line]
    },
    danglingOrder
  )
  return id
}

/**
 * Applies a JSON Patch to an order line as GET answers it. An operation on `/status` is a move; item and action change while the
 * order is a DRAFT.
 * @param patched what the patch may leave behind.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchOrderLine(
  ports: Ports,
  actor: Actor,
  id: string,
  patch: readonly Operation[],
  patched: CompiledSchema<PatchedOrderLine>
): Promise<void> {
  await changeOrder(
    ports,
    actor,
    orderOfLine(id),
    async (change) => {
      const line = change.lines.find((each) => each.id === id)
      if (!line) throw orderLineNotFound()
      const before = orderSerializers(ports).line.toJson(line)
      const applied = applyPatch(before, patch, patched, ports.limits.body)
      const [order, item] = [withoutTrailingSlash(applied.order), withoutTrailingSlash(applied.item)]
      const after = { ...applied, order, item }
      const target = requestedStatus<LineStatus>(
        ports.terminology,
        'order-line-status',
        patch,
        before.status,
        after.status
      )
      const changed = await changeContent(ports, change, line, before, after)
      if (target !== undefined) transitionLine(change, changed, target)
    },
    orderLineNotFound
  )
}

/**
 * Takes an open line out of a draft: it is gone for everybody, while its row stays in the database. A cancelled one stays, for the
 * trace tells of it.
 * @throws Problem `not-found`, `not-deletable`.
 */
export async function deleteOrderLine(ports: Ports, actor: Actor, id: string): Promise<void> {
  await changeOrder(
    ports,
    actor,
    orderOfLine(id),
    (change) => {
      const line = change.lines.find((each) => each.id === id)
      if (!line) throw orderLineNotFound()
      if (change.order.status !== 'DRAFT' || !isOpen(line.status))
        throw orderProblem(
          'not-deletable',
          `The order is ${change.order.status}, the line ${line.status}. An open line of a running order can be cancelled.`
        )
      const deleted = { ...line, deletedAt: change.at }
      change.lines = change.lines.map((each) => (each.id === id ? deleted : each))
    },
    orderLineNotFound
  )
}

async function changeContent(
  ports: Ports,
  change: OrderChange,
  line: LineRow,
  before: OrderLine,
  after: PatchedOrderLine
): Promise<LineRow> {
  for (const member of ['id', 'order'] as const)
    if (after[member] !== before[member]) throw readOnly(`/${member}`)
  const action = requireCode(ports.terminology, 'order-line-action', after.action, '/action')
  if (action === line.action && after.item === before.item) return line
  // Before the item is looked up: whoever may not change it must not learn what is there.
  assertBuyer(change)
  assertDraft(change)
  const itemId = after.item === before.item ? line.itemId : await knownItem(ports, after.item)
  const changed = { ...line, action, itemId }
  await assertOrderable(ports, change.order, [changed], () => ({ pointer: '/item' }))
  change.lines = change.lines.map((each) => (each.id === line.id ? changed : each))
  return changed
}

function initialStatus({ terminology }: Ports, input: OrderLineInput['status']): LineStatus {
  const status = requireCode<LineStatus>(terminology, 'order-line-status', input ?? 'UNFULFILLED', '/status')
  if (initialLineStatuses.includes(status)) return status
  const detail = `It must be ${initialLineStatuses.join(' or ')}, or absent.`
  throw fieldProblem(orderProblem, 'not-initial-status', '/status', detail)
}

async function knownItem(ports: Ports, url: string): Promise<string> {
  const item = (await findItems(ports, [url])).get(url)
  if (!item)
    throw fieldProblem(problem, 'dangling-reference', '/item', 'It must be the URL of a catalogue item.')
  return item.id
}

function assertBuyer({ actor }: OrderChange): void {
  if (actor.userType !== 'MonitoringResponsible')
    throw orderProblem('not-your-move', 'What an order line asks for is changed by MonitoringResponsible.')
}

function assertDraft({ order }: OrderChange): void {
  if (order.status !== 'DRAFT')
    throw orderProblem(
      'order-not-draft',
      `The order is ${order.status}; what it asks for can change in a DRAFT alone.`
    )
}

const danglingOrder = () =>
  fieldProblem(
    problem,
    'dangling-reference',
    '/order',
    'It must be the URL of an order of your organization.'
  )
