import { Type } from '@sinclair/typebox'
import type { CopyOperation, MoveOperation, Operation } from 'fast-json-patch'
import { problem } from '../errors/problem.js'
import { inputLimits } from './input-limits.js'

export type { Operation }

const pointer = { type: 'string', maxLength: 4000, pattern: '^(/([^/~]|~[01])*)*$' }

const operation = (op: string, ...required: string[]) => ({
  type: 'object',
  required: ['op', 'path', ...required],
  properties: {
    op: { type: 'string', enum: [op], description: 'Operation.' },
    path: { ...pointer, description: 'RFC 6901 pointer to the target.' },
    ...(required.includes('from')
      ? { from: { ...pointer, description: 'RFC 6901 pointer to the source.' } }
      : {}),
    ...(required.includes('value') ? { value: { description: 'Any JSON value.' } } : {})
  }
})

/** A JSON Patch (RFC 6902). Members that RFC 6902 does not define are ignored, as it requires. */
export const JsonPatch = Type.Unsafe<Operation[]>({
  type: 'array',
  maxItems: inputLimits.patchOperations,
  description: 'JSON Patch (RFC 6902).',
  example: [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }],
  items: {
    title: 'PatchOperation',
    description: 'One operation. add, replace and test need value; move and copy need from.',
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

/** Whether a schema, perhaps a copy, is the schema of a JSON Patch. */
export const isJsonPatch = (schema: Readonly<Record<string, unknown>>): boolean =>
  (schema.items as { title?: string } | undefined)?.title === JsonPatch.items.title

export const readOnlyProblem = (pointer: string) => problem('read-only.member', pointer)

/** Whether the operation uses `from`. RFC 6902 ignores it in other operations. */
export const hasSource = (each: Operation): each is MoveOperation | CopyOperation =>
  each.op === 'move' || each.op === 'copy'

/** Whether an operation writes to a member of the root, or below it. */
export function writesTo(each: Operation, member: string): boolean {
  const at = (path: string) => path === `/${member}` || path.startsWith(`/${member}/`)
  return each.op !== 'test' && (at(each.path) || (each.op === 'move' && at(each.from)))
}
