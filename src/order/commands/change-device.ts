import { fieldProblem, problem } from '../../platform/errors/problem.js'
import { type Operation, readOnlyProblem, writesTo } from '../../platform/json/json-patch.js'
import type { Ports } from '../../ports.js'
import { requireCode, unknownCodeDetail } from '../../terminology/known-code.js'
import { addTrace, type OrderChange } from '../change/change-order.js'
import { type DeviceInput, manualEndReasons, numberNames } from '../device/device.schemas.js'
import { endOfUse, setLine, traceEnd } from '../device/use.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { orderProblem } from '../model/problems.js'
import type { SnapshotLine } from '../store/load-order.js'

type PatchedDevice = NonNullable<DeviceInput>

const noMembers = Object.fromEntries(
  ['item', ...numberNames, 'from', 'until', 'endReason'].map((name) => [name, null])
)

/**
 * The document that a JSON Patch of a line applies to: the line as GET returns it. A patch that
 * fulfils the line may write to members of its device, which is not there yet.
 */
export const patchableLine = (line: OrderLine, patch: readonly Operation[]): object =>
  line.device === null && patch.some((each) => each.op !== 'test' && each.path.startsWith('/device/'))
    ? { ...line, device: noMembers }
    : line

/**
 * Writes the numbers of the device of a line, and ends its use or takes such an end back, as a JSON
 * Patch demands. Runs after the change of the status, which may deliver the device.
 * @throws Problem `not-your-move`, `no-device`, `device-ended`, `read-only`, `unknown-coding`.
 */
export function changeDevice(
  ports: Pick<Ports, 'terminology'>,
  change: OrderChange,
  lineId: string,
  patch: readonly Operation[],
  before: OrderLine,
  after: DeviceInput | undefined
): void {
  if (!patch.some((each) => writesTo(each, 'device'))) return
  if (!after) {
    if (before.device) throw readOnlyProblem('/device')
    return
  }
  const line = change.lines.find(({ id }) => id === lineId)
  const numbers = numberNames.filter((name) => (after[name] ?? null) !== (line?.device?.[name] ?? null))
  if (numbers.length > 0 && change.call.caller.userType !== 'Provider')
    throw fieldProblem(orderProblem, 'not-your-move', `/device/${numbers[0]}`, {
      en: 'Only Provider can change the numbers of a device.',
      da: 'Kun Provider kan ændre udstyrets numre.'
    })
  if (!line?.device) throw fieldProblem(orderProblem, 'no-device', '/device')
  assertReadOnly(patch, before.device, after)
  const end = requestedEnd(ports, change, line.device, patch, after)
  const changed = [...numbers, ...(end?.endReason === null ? ['endReason'] : [])]
  if (!end && changed.length === 0) return
  const written = Object.fromEntries(numbers.map((name) => [name, after[name] ?? null]))
  setLine(change, lineId, { device: { ...line.device, ...written, ...end } })
  if (changed.length > 0)
    addTrace(change, {
      text: 'Order line device changed.',
      supplementaryText: `Changed: ${changed.join(', ')}.`,
      orderLineId: lineId
    })
  if (end?.endReason) traceEnd(change, lineId, end.endReason)
}

/** A whole device in a JSON Patch may omit what cannot change. */
function assertReadOnly(
  patch: readonly Operation[],
  before: OrderLine['device'],
  after: PatchedDevice
): void {
  const isWhole = patch.some(({ path }) => path === '/device')
  for (const name of ['item', 'from', 'until'] as const)
    if (!(isWhole && after[name] === undefined) && (after[name] ?? null) !== (before?.[name] ?? null))
      throw readOnlyProblem(`/device/${name}`)
}

/** The end that a JSON Patch demands, with nulls to take one back; undefined without a change. */
function requestedEnd(
  { terminology }: Pick<Ports, 'terminology'>,
  change: OrderChange,
  device: NonNullable<SnapshotLine['device']>,
  patch: readonly Operation[],
  { endReason: given }: PatchedDevice
) {
  const pointer = '/device/endReason'
  const isWritten = patch.some((each) => writesTo(each, 'device/endReason'))
  if (!isWritten && given === undefined) return undefined
  const reason = given == null ? null : requireCode(terminology, 'device-end-reason', given, pointer)
  if (reason === device.endReason && !(isWritten && reason)) return undefined
  const isManual = device.endReason !== null && manualEndReasons.includes(device.endReason)
  if (device.endReason !== null && !(reason === null && isManual))
    throw fieldProblem(orderProblem, 'device-ended', pointer, {
      en: `The use of the device ended: ${device.endReason}. ${isManual ? 'Remove this end first.' : 'It cannot change.'}`,
      da: `Udstyret er ikke længere i brug: ${device.endReason}. ${isManual ? 'Fjern først denne afslutning.' : 'Det kan ikke ændres.'}`
    })
  if (reason === null) return { until: null, endReason: null, endedBy: null }
  if (!manualEndReasons.includes(reason))
    throw fieldProblem(problem, 'unknown-coding', pointer, unknownCodeDetail(manualEndReasons))
  return endOfUse(change, device, reason)
}
