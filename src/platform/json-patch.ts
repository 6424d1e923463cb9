import { Type } from '@sinclair/typebox'
import fastJsonPatch, {
  type CopyOperation,
  type JsonPatchError,
  type MoveOperation,
  type Operation
} from 'fast-json-patch'
import { fieldProblem, problem } from './problem.js'

const { applyOperation, deepClone } = fastJsonPatch

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

/**
 * Applies a JSON Patch to a document, all operations or none, and answers the result; the document stays as it is.
 * @param maxSize characters that the result may have as JSON, so that copies of copies end somewhere.
 * @throws Problem `failed-test`, `unpatchable-target`; never with a part of the document in it.
 */
export function applyPatch(document: object, patch: readonly Operation[], maxSize: number): unknown {
  let result: unknown = deepClone(document)
  for (const [at, each] of patch.entries()) {
    const unpatchable = () =>
      fieldProblem(
        problem,
        'unpatchable-target',
        `/${at}`,
        `Operation ${at} (${each.op}) names a target that is not there.`
      )
    if (!isResolvable(result, each)) throw unpatchable()
    try {
      result = applyOperation(result, each, true).newDocument
    } catch (error) {
      if ((error as JsonPatchError).name !== 'TEST_OPERATION_FAILED') throw unpatchable()
      throw problem('failed-test', `Operation ${at} (test) found another value.`)
    }
    if (each.op === 'copy') assertSize(document, result, maxSize)
  }
  assertSize(document, result, maxSize)
  return result
}

/** What is too large already may still be changed, but not grow. */
function assertSize(before: unknown, after: unknown, maxSize: number): void {
  const size = sizeOf(after)
  if (size > maxSize && size > sizeOf(before))
    throw problem('payload-too-large', `After the JSON Patch there would be more than ${maxSize} characters.`)
}

const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0

/** The 422 for a member that no patch may change. */
export const readOnly = (pointer: string) =>
  fieldProblem(problem, 'read-only', pointer, `${pointer} cannot be changed.`)

/** Whether what an operation needs is there: its target or, for a new one, the target's parent; and its source. */
function isResolvable(document: unknown, each: Operation): boolean {
  if (hasSource(each) && valueAt(document, each.from) === undefined) return false
  // RFC 6902, section 4.4: nothing moves into itself.
  if (each.op === 'move' && each.path.startsWith(`${each.from}/`)) return false
  if (each.op === 'remove' || each.op === 'replace' || each.op === 'test')
    return valueAt(document, each.path) !== undefined
  const end = each.path.lastIndexOf('/')
  const parent = end < 0 ? document : valueAt(document, each.path.slice(0, end))
  const name = segmentsOf(each.path).at(-1)
  if (!Array.isArray(parent)) return typeof parent === 'object' && parent !== null
  return name === '-' || (isIndex(name ?? '') && Number(name) <= parent.length)
}

/** Whether `from` means something: in other operations RFC 6902 has it ignored. */
export const hasSource = (each: Operation): each is MoveOperation | CopyOperation =>
  each.op === 'move' || each.op === 'copy'

/** The value that a pointer (RFC 6901) leads to by own members alone, none of the prototype's; undefined when it leads nowhere. */
function valueAt(document: unknown, path: string): unknown {
  return segmentsOf(path).reduce((value: unknown, name) => {
    if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isIndex(name)))
      return undefined
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }, document)
}

const segmentsOf = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** RFC 6901 knows no array index with a leading zero. */
const isIndex = (name: string) => /^(0|[1-9]\d*)$/.test(name)

/** Whether an operation writes at a member of the document's root, or below it. */
export function writesTo(each: Operation, member: string): boolean {
  const at = (path: string) => path === `/${member}` || path.startsWith(`/${member}/`)
  return each.op !== 'test' && (at(each.path) || (each.op === 'move' && at(each.from)))
}
