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

/** Changes the action and the related line. Returns `unknown-coding` and `dangling-reference`. */
export function changeLineContent(patch: LinePatch): FieldErrors {
  const { ports, change, line, after } = patch
  const errors = new FieldErrors()
  const action = resolveCode(ports.terminology, errors, 'order-line-action', after.action, '/action')
  const changed = changedMembers(patch)
  if (changed.includes('action')) setLine(change, line.id, { action })
  if (changed.includes('relatedTo')) {
    const relatedTo = resolveRelatedLine(ports, errors, after.relatedTo, '/relatedTo')
    setLine(change, line.id, { relatedTo, relatedDevice: null })
  }
  return errors
}

/**
 * Changes the items of lines, and checks that the lines with other content can be ordered today.
 * Runs after all other rules, with the same statements for any number of lines: a caller who may
 * not change a line does not learn which items exist.
 * @param report takes the problem of a line, with its index. The first has those of the parties.
 */
export async function changeItems(
  patches: readonly LinePatch[],
  report: (found: Problem, index: number) => void
): Promise<void> {
  const changed = patches.filter((patch) => changedMembers(patch).length > 0)
  const [first] = changed
  if (!first) return
  const { ports, change } = first
  const items = await findItemsByUrl(
    ports,
    changed.map(({ after }) => after.item)
  )
  for (const patch of changed) {
    const item = items.get(patch.after.item)
    if (item) setLine(change, patch.line.id, { itemId: item.id })
    else report(orderProblem('dangling-reference.item', '/item'), patches.indexOf(patch))
  }
  const lines = change.lines.filter(({ id }) => changed.some(({ line }) => line.id === id))
  for (const { line, member, problemAt } of await findOrderabilityErrors(
    ports,
    change.call,
    change.order,
    lines
  )) {
    const index = patches.findIndex((each) => each.line.id === (line ?? first.line).id)
    report(problemAt(`/${member}`), index)
  }
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
