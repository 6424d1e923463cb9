import { isDeepStrictEqual } from 'node:util'
import { findItemsByUrl } from '../../catalogue/lookup.js'
import { newId } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import type { Words } from '../../platform/errors/language.js'
import { FieldErrors, fieldProblem, problem } from '../../platform/errors/problem.js'
import { applyPatch } from '../../platform/json/apply-patch.js'
import { type Operation, readOnlyProblem } from '../../platform/json/json-patch.js'
import type { PatchResultSchema } from '../../platform/json/validation.js'
import { assertRevision } from '../../platform/rest/revision.js'
import { withoutTrailingSlash } from '../../platform/util/resource-urls.js'
import type { Ports } from '../../ports.js'
import { requireCode } from '../../terminology/known-code.js'
import { assertOrderable } from '../change/assert-orderable.js'
import { changeOrderWithRetry, type OrderChange } from '../change/change-order.js'
import { transitionLine } from '../change/transition.js'
import { addRelatedSubjects, noDevices } from '../device/line-devices.js'
import { invalidRelationDetail } from '../device/relation.js'
import type { OrderLine, OrderLineInput, PatchedOrderLine } from '../model/order-line.schemas.js'
import { isOpen, type LineStatus } from '../model/order-line.state.js'
import { orderProblem } from '../model/problems.js'
import { orderResource } from '../model/resources.js'
import { reasonedLineStatuses } from '../model/status-reason.schemas.js'
import { orderLineNotFound } from '../queries/view-order-line.js'
import { lineRevision, type SnapshotLine } from '../store/load-order.js'
import { orderSerializers } from '../store/serializers.js'
import { orderById, orderOfLine } from '../store/visibility.js'
import { changeAgreedTime } from './change-agreed-time.js'
import { changeDevice, patchableLine } from './change-device.js'
import { newLineDefaults, relatedLineId, resolveNewLines } from './new-lines.js'
import { requestedReason } from './requested-reason.js'
import { requestedStatus } from './requested-status.js'

/**
 * Adds a line to a draft of the caller and returns its id.
 * @throws Problem `dangling-reference`, `order-not-draft`, `not-initial-status`, `too-many-lines`,
 * and those of {@link assertOrderable}.
 */
export async function createOrderLine(ports: Ports, call: Call, input: OrderLineInput): Promise<string> {
  const { resourceUrls, limits } = ports
  const orderId = resourceUrls.id(orderResource, input.order)
  const id = newId()
  const errors = new FieldErrors()
  if (orderId === undefined) errors.addUnresolvedReference('/order', unknownOrder)
  const [resolved] = await resolveNewLines(ports, errors, [{ input, pointer: '' }])
  errors.check()
  if (orderId === undefined || !resolved) throw danglingOrder()
  await changeOrderWithRetry(
    ports,
    call,
    orderById(orderId),
    async (change) => {
      assertDraft(change)
      if (change.lines.length >= limits.orderLines)
        throw orderProblem('too-many-lines', {
          en: `An order can have at most ${limits.orderLines} lines.`,
          da: `En bestilling kan højst have ${limits.orderLines} linjer.`
        })
      const line = { ...newLineDefaults, ...resolved, ...noDevices, id, orderId, createdAt: change.at }
      await assertOrderable(ports, call, change.order, [line], {
        obstacle: ({ itemId }) => [{ pointer: itemId ? '/item' : '/order' }],
        relation: () => ({ pointer: '/relatedTo' })
      })
      change.lines = [...change.lines, line]
    },
    danglingOrder
  )
  return id
}

/**
 * Applies a JSON Patch to an order line as GET returns it. An operation on `/status` is a status
 * transition; item, action and related line can change while the order is a DRAFT, the agreed time
 * while the line is SUBMITTED, and the device once it is delivered.
 * @param patched the schema of a valid result.
 * @throws Problem; see docs/api/errors.md for the codes.
 */
export async function patchOrderLine(
  ports: Ports,
  call: Call,
  id: string,
  patch: readonly Operation[],
  patched: PatchResultSchema<PatchedOrderLine>
): Promise<void> {
  await changeOrderWithRetry(
    ports,
    call,
    orderOfLine(id),
    async (change) => {
      const line = change.lines.find((each) => each.id === id)
      if (!line) throw orderLineNotFound()
      assertRevision(call, () => lineRevision(line))
      // The response may have the line.
      addRelatedSubjects(call, change.order.patient, [line])
      const before = orderSerializers(ports).line.toJson(line)
      const applied = applyPatch(patchableLine(before, patch), patch, patched, ports.limits.body)
      const [order, item] = [withoutTrailingSlash(applied.order), withoutTrailingSlash(applied.item)]
      const relatedTo = applied.relatedTo == null ? null : withoutTrailingSlash(applied.relatedTo)
      const after = { ...applied, order, item, relatedTo }
      const target = requestedStatus<LineStatus>(
        ports.terminology,
        'order-line-status',
        patch,
        before.status,
        after.status
      )
      const reasons = { before: before.statusReason, after: after.statusReason }
      const reason = requestedReason(ports.terminology, patch, reasons, target, reasonedLineStatuses)
      const withContent = await changeLineContent(ports, change, line, before, after)
      const changedLine = changeAgreedTime(change, withContent, after, target)
      if (target !== undefined) transitionLine(change, changedLine, target, reason)
      changeDevice(ports, change, id, patch, before, after.device)
    },
    orderLineNotFound
  )
}

/**
 * Deletes an open line of a draft. Nobody sees it any more, but its row stays in the database. A
 * cancelled line cannot be deleted, because the trace refers to it.
 * @throws Problem `not-found`, `not-deletable`, `precondition-failed`.
 */
export async function deleteOrderLine(ports: Ports, call: Call, id: string): Promise<void> {
  await changeOrderWithRetry(
    ports,
    call,
    orderOfLine(id),
    (change) => {
      const line = change.lines.find((each) => each.id === id)
      if (!line) throw orderLineNotFound()
      assertRevision(call, () => lineRevision(line))
      if (change.order.status !== 'DRAFT' || !isOpen(line.status))
        throw orderProblem('not-deletable', {
          en: `The order is ${change.order.status}, the line ${line.status}. Cancel an open line of a submitted order instead.`,
          da: `Bestillingen er ${change.order.status}, linjen ${line.status}. Annullér i stedet en åben linje i en afsendt bestilling.`
        })
      const deleted = { ...line, deletedAt: change.at }
      change.lines = change.lines.map((each) => (each.id === id ? deleted : each))
    },
    orderLineNotFound
  )
}

async function changeLineContent(
  ports: Ports,
  change: OrderChange,
  line: SnapshotLine,
  before: OrderLine,
  after: PatchedOrderLine & { relatedTo: string | null }
): Promise<SnapshotLine> {
  for (const member of ['id', 'order', 'relatedDevice', 'allowedStatuses'] as const)
    if (!isDeepStrictEqual(after[member], before[member])) throw readOnlyProblem(`/${member}`)
  const action = requireCode(ports.terminology, 'order-line-action', after.action, '/action')
  const isRelated = after.relatedTo === before.relatedTo
  if (action === line.action && after.item === before.item && isRelated) return line
  // Authorize before the lookup: a caller who may not change the line must not learn which items
  // exist.
  assertBuyer(change)
  assertDraft(change)
  const itemId = after.item === before.item ? line.itemId : await requireItem(ports, after.item)
  const relation = isRelated ? {} : { relatedTo: requireRelated(ports, after.relatedTo), relatedDevice: null }
  const changedLine = { ...line, action, itemId, ...relation }
  await assertOrderable(ports, change.call, change.order, [changedLine], {
    obstacle: () => [{ pointer: '/item' }],
    relation: () => ({ pointer: '/relatedTo' })
  })
  change.lines = change.lines.map((each) => (each.id === line.id ? changedLine : each))
  return changedLine
}

async function requireItem(ports: Ports, url: string): Promise<string> {
  const item = (await findItemsByUrl(ports, [url])).get(url)
  if (!item)
    throw fieldProblem(problem, 'dangling-reference', '/item', {
      en: 'It must be the URL of a catalogue item.',
      da: 'Det skal være adressen på en vare i et katalog.'
    })
  return item.id
}

function requireRelated(ports: Ports, url: string | null): string | null {
  const id = url === null ? null : relatedLineId(ports, url)
  if (id === undefined) throw fieldProblem(problem, 'dangling-reference', '/relatedTo', invalidRelationDetail)
  return id
}

function assertBuyer({ call }: OrderChange): void {
  if (call.caller.userType !== 'MonitoringResponsible')
    throw orderProblem('not-your-move', {
      en: 'Only MonitoringResponsible can change the item, the action and the related line of an order line.',
      da: 'Kun MonitoringResponsible kan ændre varen, handlingen og den tilknyttede linje på en linje.'
    })
}

function assertDraft({ order }: OrderChange): void {
  if (order.status !== 'DRAFT')
    throw orderProblem('order-not-draft', {
      en: `The order is ${order.status}. Order lines can only change while it is a DRAFT.`,
      da: `Bestillingen er ${order.status}. Linjer kan kun ændres, mens den er DRAFT.`
    })
}

const unknownOrder: Words = {
  en: 'It must be the URL of an order of your organization.',
  da: 'Det skal være adressen på en bestilling i din organisation.'
}
const danglingOrder = () => fieldProblem(problem, 'dangling-reference', '/order', unknownOrder)
