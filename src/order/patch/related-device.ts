import { isDeepStrictEqual } from 'node:util'
import { endReasonBy } from '../../device/use.js'
import type { Problem } from '../../platform/errors/problem.js'
import { readOnlyProblem, writesTo } from '../../platform/json/json-patch.js'
import { setLine } from '../change.js'
import { takeBackEnd } from '../fulfilment.js'
import { orderLineProblem } from '../line.texts.js'
import { orderProblem } from '../texts.js'
import type { LinePatch } from './steps.js'

const pointer = '/relatedDevice/endReason'

/**
 * Undoes the end of use that this line's pick-up or replacement recorded for its device. Only the
 * provider may do so. Returns `read-only`, `not-your-move` and `device-ended`.
 */
export function changeRelatedDevice(patch: LinePatch): Problem | undefined {
  const { change, line, operations, before, after } = patch
  const [stored, requested] = [withEnd(before.relatedDevice), withEnd(after.relatedDevice)]
  const isEndWritten = operations.some((each) => writesTo(each, 'relatedDevice/endReason'))
  if (isDeepStrictEqual(requested, stored) && !isEndWritten) return undefined
  if (!isDeepStrictEqual(requested, stored && { ...stored, endReason: null }))
    return readOnlyProblem('/relatedDevice')
  if (change.call.caller.userType !== 'Provider')
    return orderProblem('not-your-move.member', pointer, { userType: 'Provider' })
  const reason = line.relatedDevice?.endReason ?? null
  if (line.relatedDevice && reason !== null && endReasonBy(line.id, line.relatedDevice) === null)
    return orderLineProblem('device-ended.otherwise', pointer, { reason })
  takeBackEnd(change, line)
  if (reason !== null) setLine(change, line.id, { tookEndBack: true })
  return undefined
}

/** A device whose `endReason` may be absent. */
const withEnd = (device: unknown) => device && { endReason: null, ...device }
