import { Type } from '@sinclair/typebox'
import type { CopyOperation, MoveOperation, Operation } from 'fast-json-patch'
import { fieldProblem, problem } from '../errors/problem.js'

export type { Operation }

const pointer = { type: 'string', maxLength: 4000, pattern: '^(/([^/~]|~[01])*)*$' }

const operation = (op: string, ...required: string[]) => ({
  type: 'object',
  required: ['op', 'path', ...required],
  properties: {
    op: { type: 'string', enum: [op], description: 'What to do.' },
    path: { ...pointer, description: 'RFC 6901 pointer to the target.' },
    ...(required.includes('from')
      ? { from: { ...pointer, description: 'RFC 6901 pointer to the source.' } }
      : {}),
    ...(required.includes('value') ? { value: { description: 'Any JSON value.' } } : {})
  }
})

/** A JSON Patch: an array of RFC 6902 operations. Members that RFC 6902 does not define are ignored, as it asks. */
export const JsonPatch = (maxItems: number) =>
  Type.Unsafe<Operation[]>({
    type: 'array',
    maxItems,
    description: 'JSON Patch (RFC 6902).',
    example: [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }],
    items: {
      title: 'PatchOperation',
      description: 'One operation; add, replace and test have a value, move and copy a source.',
      type: 'object',
      required: ['op'],
      discriminator: { propertyName: 'op' },
      oneOf: [
        operation('add', 'value'),
        operation('replace', 'value'),
        operation('test', 'value'),
        operation('remove'),
        operation('move', 'from'),
        operation('copy', 'from')
      ]
    }
  })

/** The 422 for a member that no patch may change. */
export const readOnly = (pointer: string) =>
  fieldProblem(problem, 'read-only', pointer, `${pointer} cannot be changed.`)

/** Whether `from` means something: in other operations RFC 6902 has it ignored. */
export const hasSource = (each: Operation): each is MoveOperation | CopyOperation =>
  each.op === 'move' || each.op === 'copy'

/** Whether an operation writes at a member of the document's root, or below it. */
export function writesTo(each: Operation, member: string): boolean {
  const at = (path: string) => path === `/${member}` || path.startsWith(`/${member}/`)
  return each.op !== 'test' && (at(each.path) || (each.op === 'move' && at(each.from)))
}
