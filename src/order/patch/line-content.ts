import { findItemsByUrl } from '../../catalogue/lookup.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Problem } from '../../platform/errors/problem.js'
import { resolveCode } from '../../terminology/known-code.js'
import { setLine } from '../change.js'
import { isOpen } from '../model/states.js'
import { resolveRelatedLine } from '../new-lines.js'
import { findOrderabilityErrors } from '../orderable.js'
import { orderProblem } from '../texts.js'
import type { LinePatch } from './steps.js'

/**
 * Rejects a change of the item, the action or the related line, which only the buyer may change, in
 * an open line of a DRAFT. Returns `not-your-move`, `order-not-draft` and `line-not-open`.
 */
export function rejectLineContent(patch: LinePatch): FieldErrors {
  const errors = new FieldErrors()
  for (const name of changedMembers(patch)) {
    const problem = forbiddenChange(patch, `/${name}`)
    if (problem) errors.add(problem)
  }
  return errors
}

/**
 * Changes the item, the action and the related line. Returns `unknown-coding` and
 * `dangling-reference`. A caller who may not change the line does not learn which items exist.
 */
export async function changeLineContent(patch: LinePatch): Promise<FieldErrors> {
  const { ports, change, line, after } = patch
  const errors = new FieldErrors()
  const action = resolveCode(ports.terminology, errors, 'order-line-action', after.action, '/action')
  const changed = changedMembers(patch)
  if (changed.length === 0 || forbiddenChange(patch, '')) return errors
  if (changed.includes('action')) setLine(change, line.id, { action })
  if (changed.includes('item')) setLine(change, line.id, { itemId: await resolveItem(patch, errors) })
  if (changed.includes('relatedTo')) {
    const relatedTo = resolveRelatedLine(ports, errors, after.relatedTo, '/relatedTo')
    setLine(change, line.id, { relatedTo, relatedDevice: null })
  }
  return errors
}

/** Checks that a line with another item, action or related line can be ordered today. */
export async function checkLineOrderable({ ports, change, line }: LinePatch): Promise<FieldErrors> {
  const changed = change.lines.find(({ id }) => id === line.id)
  const errors = new FieldErrors()
  if (!changed || changed === line) return errors
  for (const error of await findOrderabilityErrors(ports, change.call, change.order, [changed]))
    errors.add(error.problemAt(`/${error.member}`))
  return errors
}

function changedMembers({ ports, line, before, after }: LinePatch): string[] {
  const action = ports.terminology.code('order-line-action', after.action)
  return [
    ...(after.item === before.item ? [] : ['item']),
    ...(action === line.action || action === undefined ? [] : ['action']),
    ...((after.relatedTo ?? null) === before.relatedTo ? [] : ['relatedTo'])
  ]
}

function forbiddenChange({ change, line }: LinePatch, pointer: string): Problem | undefined {
  const { status } = change.order
  if (change.call.caller.userType !== 'MonitoringResponsible')
    return orderProblem('not-your-move.lineContent', pointer)
  if (status !== 'DRAFT') return orderProblem('order-not-draft.lines', pointer, { status })
  return isOpen(line.status)
    ? undefined
    : orderProblem('line-not-open.status', pointer, { status: line.status })
}

async function resolveItem({ ports, after: { item: url } }: LinePatch, errors: FieldErrors): Promise<string> {
  const item = (await findItemsByUrl(ports, [url])).get(url)
  if (!item) errors.add(orderProblem('dangling-reference.item', '/item'))
  return item?.id ?? ''
}
