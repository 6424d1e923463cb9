import { findItemsByUrl } from '../../catalogue/lookup.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { resolveCode } from '../../terminology/known-code.js'
import { setLine } from '../change.js'
import { orderLineProblem } from '../line.texts.js'
import { isOpen } from '../model/states.js'
import { resolveRelatedLine, unknownItem } from '../new-lines.js'
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

type Report = (found: Problem, index: number) => void

/**
 * Changes the items of lines, with one statement for any number of lines. The response must not
 * disclose which items exist to a caller who may not change a line. Reports `dangling-reference`.
 */
export async function changeItems(
  ports: Ports,
  patches: readonly LinePatch[],
  report: Report
): Promise<void> {
  const changed = patches.filter(
    (patch) => patch.after.item !== patch.before.item && rejectLineContent(patch).all.length === 0
  )
  const items = await findItemsByUrl(
    ports,
    changed.map(({ after }) => after.item)
  )
  for (const patch of changed) {
    const item = items.get(patch.after.item)
    if (item) setLine(patch.change, patch.line.id, { itemId: item.id })
    else report(unknownItem(ports, patch.after.item, '/item'), patches.indexOf(patch))
  }
}

/**
 * Checks that the lines with changed content can be ordered today, with the same statements for any
 * number of lines. Reports the problems of the parties at the first line.
 */
export async function checkContent(patches: readonly LinePatch[], report: Report): Promise<void> {
  const changed = patches.filter((patch) => changedMembers(patch).length > 0)
  const [first] = changed
  if (!first) return
  const { ports, change } = first
  const lines = change.lines.filter(({ id }) => changed.some(({ line }) => line.id === id))
  const errors = await findOrderabilityErrors(ports, change.call, change.order, lines)
  for (const { line, member, problemAt } of errors) {
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
    return orderProblem('not-your-move.member', pointer, { userType: 'MonitoringResponsible' })
  if (status !== 'DRAFT') return orderProblem('order-not-draft.status', pointer, { status })
  return isOpen(line.status)
    ? undefined
    : orderLineProblem('line-not-open.status', pointer, { status: line.status })
}
