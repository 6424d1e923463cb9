import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { type OrderChange, setLine } from '../change.js'
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
export function changeLineContent(patch: LinePatch): FieldErrors {
  const { ports, change, line, after } = patch
  const errors = new FieldErrors()
  const action = resolveCode(ports.terminology, errors, 'order-line-action', after.action, '/action')
  const changed = changedMembers(patch)
  if (changed.length === 0 || forbiddenChange(patch, '')) return errors
  if (changed.includes('action')) setLine(change, line.id, { action })
  if (changed.includes('item')) {
    const item = patch.items.get(after.item)
    if (item) setLine(change, line.id, { itemId: item.id })
    else errors.add(orderProblem('dangling-reference.item', '/item'))
  }
  if (changed.includes('relatedTo')) {
    const relatedTo = resolveRelatedLine(ports, errors, after.relatedTo, '/relatedTo')
    setLine(change, line.id, { relatedTo, relatedDevice: null })
  }
  return errors
}

/**
 * Checks that the lines with another item, action or related line can be ordered today.
 * @param report takes the problems of a line. The first line has those of the parties.
 */
export async function checkLinesOrderable(
  ports: Ports,
  change: OrderChange,
  report: (lineId: string, problem: Problem) => void
): Promise<void> {
  const before = new Map(change.snapshot.lines.map((line) => [line.id, line]))
  const changed = change.lines.filter(({ id, itemId, action, relatedTo }) => {
    const line = before.get(id)
    return itemId !== line?.itemId || action !== line.action || relatedTo !== line.relatedTo
  })
  const [first] = changed
  if (!first) return
  for (const { line, member, problemAt } of await findOrderabilityErrors(
    ports,
    change.call,
    change.order,
    changed
  ))
    report((line ?? first).id, problemAt(`/${member}`))
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
