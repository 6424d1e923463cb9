import { isDeepStrictEqual } from 'node:util'
import { snapshotNames } from '../../catalogue/item-snapshot.js'
import { numberNames } from '../../device/device.fields.js'
import type { DeviceInput } from '../../device/device.schemas.js'
import { numbersFromUdi, storedNumbers, withGtin } from '../../device/numbers.js'
import type { DeviceRow } from '../../device/tables.js'
import { ENTERED_IN_ERROR, endOfUse, endReasons, isEndedByHand, manualEndReasons } from '../../device/use.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Problem } from '../../platform/errors/problem.js'
import { type Operation, readOnlyProblem, writesTo } from '../../platform/json/json-patch.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { addTrace, changedNamesText, type OrderChange, setLine } from '../change.js'
import { endRelatedUse, findFulfilment, takeBackEnd, traceEnd } from '../fulfilment.js'
import { orderLineProblem } from '../line.texts.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { orderProblem } from '../texts.js'
import type { LinePatch } from './steps.js'

const readOnlyMembers = [...snapshotNames, 'differsFromUdi', 'isOrderable', 'from', 'until'] as const

const noMembers = Object.fromEntries(
  ['item', ...readOnlyMembers, ...numberNames, 'endReason'].map((name) => [name, null])
)

/**
 * The document to which a JSON Patch of a line applies: the line as returned by GET. A patch that
 * fulfils the line may write to members of its device, which does not exist yet.
 */
export const patchableLine = (line: OrderLine, patch: readonly Operation[]): object =>
  line.device === null && patch.some((each) => each.op !== 'test' && each.path.startsWith('/device/'))
    ? { ...line, device: noMembers }
    : line

/**
 * Writes the numbers of the device of a line, and ends its use or takes an end back. Returns
 * `not-your-move`, `no-device`, `device-ended`, `read-only` and `unknown-coding`.
 */
export async function changeDevice(patch: LinePatch): Promise<Problem | FieldErrors | undefined> {
  const {
    change,
    line: { id },
    operations,
    before,
    after: { device: after }
  } = patch
  if (!operations.some((each) => writesTo(each, 'device'))) return undefined
  if (!after) return before.device ? readOnlyProblem('/device') : undefined
  const device = change.lines.find((each) => each.id === id)?.device
  const sent = storedNumbers(after)
  const numbers = numberNames.filter((name) => sent[name] !== (device?.[name] ?? null))
  if (numbers.length > 0 && change.call.caller.userType !== 'Provider')
    return orderProblem('not-your-move.member', `/device/${numbers[0]}`, { userType: 'Provider' })
  if (!device) return orderLineProblem('no-device', '/device')
  const errors = new FieldErrors()
  checkReadOnly(patch, errors, after)
  const end = await requestedEnd(patch, errors, device, after)
  const isRemoved = end !== undefined && device.endReason !== null
  const written = { ...sent, ...(numbers.includes('udi') && readFromUdi(patch, { ...device, ...sent })) }
  const changed = [
    ...numberNames.filter((name) => written[name] !== device[name]),
    ...(isRemoved ? ['endReason'] : [])
  ]
  if (end || changed.length > 0) setLine(change, id, { device: withGtin({ ...device, ...written, ...end }) })
  if (changed.length > 0)
    addTrace(change, {
      code: 'order-line-device-changed',
      supplementaryText: changedNamesText(changed),
      orderLineId: id
    })
  if (end?.endReason) traceEnd(change, id, end.endReason)
  if (end) followMistake(change, id, device)
  return errors
}

/**
 * A line that delivered a device by mistake ended the use of no other device. Without the mistake
 * the line ends the use again, unless its seller took that end back.
 */
function followMistake(change: OrderChange, lineId: string, before: DeviceRow): void {
  const line = change.lines.find(({ id }) => id === lineId)
  if (line?.device?.endReason === ENTERED_IN_ERROR) takeBackEnd(change, line)
  else if (line && before.endReason === ENTERED_IN_ERROR && !line.tookEndBack)
    endRelatedUse(change, line, line.performedAt ?? line.closedAt ?? change.at)
}

type PatchedDevice = NonNullable<DeviceInput>

/** The numbers of the UDI for members that the JSON Patch does not write. */
function readFromUdi({ operations, after }: LinePatch, device: DeviceRow) {
  const isWhole = operations.some(({ path }) => path === '/device')
  const isWritten = (name: keyof PatchedDevice) =>
    operations.some((each) => writesTo(each, `device/${name}`)) ||
    (isWhole && after.device?.[name] !== undefined)
  return Object.fromEntries(
    Object.entries(numbersFromUdi(device)).filter(([name]) => !isWritten(name as keyof PatchedDevice))
  )
}

/** A whole device in a JSON Patch may omit read-only members. */
function checkReadOnly(
  { operations, before: { device }, transition }: LinePatch,
  errors: FieldErrors,
  after: PatchedDevice
): void {
  const isWhole = operations.some(({ path }) => path === '/device')
  const isDelivery = transition?.to === 'FULFILLED'
  for (const name of isDelivery ? readOnlyMembers : (['item', ...readOnlyMembers] as const))
    if (
      !(isWhole && after[name] === undefined) &&
      !isDeepStrictEqual(after[name] ?? null, device?.[name] ?? null)
    )
      errors.add(readOnlyProblem(`/device/${name}`))
}

/**
 * The end that a JSON Patch requests, with nulls to take an end back; undefined without a change.
 */
async function requestedEnd(
  { ports, change, operations }: LinePatch,
  errors: FieldErrors,
  device: DeviceRow,
  { endReason: given }: PatchedDevice
) {
  const pointer = '/device/endReason'
  const isWritten = operations.some((each) => writesTo(each, 'device/endReason'))
  if (!isWritten && given === undefined) return undefined
  const reason =
    given == null ? null : resolveCode(ports.terminology, errors, 'device-end-reason', given, pointer)
  if (reason === '' || (reason === device.endReason && !(isWritten && reason))) return undefined
  if (reason === ENTERED_IN_ERROR && change.call.caller.userType !== 'Provider') {
    errors.add(orderProblem('not-your-move.enteredInError', pointer))
    return undefined
  }
  const isManual = isEndedByHand(device)
  if (device.endReason !== null && !(reason === null && isManual)) {
    const values = { reason: device.endReason }
    errors.add(orderLineProblem(isManual ? 'device-ended.byHand' : 'device-ended.byLine', pointer, values))
    return undefined
  }
  if (reason === null) return endByLine(ports, device)
  if (manualEndReasons.includes(reason)) return endOfUse(change.at, device, reason)
  const codes = manualEndReasons.join(', ')
  errors.add(orderLineProblem('unknown-coding.endReason', pointer, { reason, codes }))
  return undefined
}

/**
 * The end of a device without an end by hand: by the line that fetched or replaced the device, if
 * any.
 */
async function endByLine(ports: Pick<Ports, 'db'>, device: DeviceRow) {
  const line = device.endedBy === null ? undefined : await findFulfilment(ports, device.endedBy)
  const reason = endReasons[line?.action ?? '']
  return line && reason ? endOfUse(line.at, device, reason) : { until: null, endReason: null, endedBy: null }
}
