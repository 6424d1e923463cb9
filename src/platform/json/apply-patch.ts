import type { TSchema } from '@sinclair/typebox'
import fastJsonPatch, { type JsonPatchError } from 'fast-json-patch'
import { fieldProblem, problem } from '../errors/problem.js'
import { hasSource, type Operation } from './json-patch.js'
import { segmentsOf } from './json-pointer.js'
import type { CompiledSchema } from './validation.js'

const { applyOperation } = fastJsonPatch

/**
 * Applies a JSON Patch to a document, all operations or none. The document and the patch stay as they are.
 * The work is bounded: paths that the result cannot have are refused before anything is applied, what the `copy` operations copy
 * is at most `maxSize` together, and nothing else is copied but the containers on an operation's path.
 * @param conforming the schema of the result, and its check.
 * @param maxSize characters that the result may have as JSON; a document that has more already must not grow.
 * @param uncounted members of the root that do not count.
 * @throws Problem `unpatchable-target`, `failed-test`, `payload-too-large`, `invalid-result`; never with a part of the document in it.
 */
export function applyPatch<T>(
  document: object,
  patch: readonly Operation[],
  { schema, validate }: CompiledSchema<T>,
  maxSize: number,
  uncounted: readonly string[] = []
): T {
  for (const [at, each] of patch.entries())
    if (!pathsOf(each).every((path) => isKnown(schema, segmentsOf(path)))) throw unpatchable(each, at)
  let result: unknown = document
  let copied = 0
  let own = new WeakSet<object>()
  for (const [at, each] of patch.entries()) {
    if (!isResolvable(result, each)) throw unpatchable(each, at)
    if (each.op === 'copy') copied += sizeOf(valueAt(result, each.from))
    if (copied > maxSize)
      throw problem('payload-too-large', `The JSON Patch copies more than ${maxSize} characters.`)
    // What is copied stands in two places from now on, and so does all that is in it.
    if (each.op === 'copy') own = new WeakSet()
    result = applied(result, each, at, own)
  }
  const conformed = validate(result)
  const size = sizeOf(uncounted.length === 0 ? result : counted(result, uncounted))
  if (size > maxSize && size > sizeOf(counted(document, uncounted)))
    throw problem('payload-too-large', `After the JSON Patch there would be more than ${maxSize} characters.`)
  return conformed
}

/** The members that count: a move must be possible however large the rest is. */
const counted = (document: unknown, uncounted: readonly string[]) =>
  Object.fromEntries(Object.entries(document as object).filter(([name]) => !uncounted.includes(name)))

const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0

const pathsOf = (each: Operation) => (hasSource(each) ? [each.path, each.from] : [each.path])

/** Whether something after the schema can have a value at a path. */
function isKnown(schema: TSchema, [name, ...rest]: readonly string[]): boolean {
  // A schema that names no type takes anything.
  if (name === undefined || schema.type === undefined) return true
  const { items, properties = {} } = schema as { items?: TSchema; properties?: Record<string, TSchema> }
  const inner = items ?? (Object.hasOwn(properties, name) ? properties[name] : undefined)
  return inner !== undefined && isKnown(inner, rest)
}

const unpatchable = ({ op }: Operation, at: number) =>
  fieldProblem(
    problem,
    'unpatchable-target',
    `/${at}`,
    `Operation ${at} (${op}) names a target that is not there.`
  )

/**
 * The document after one operation, which is a document of its own where it differs. `move` and `copy` are carried out as `remove`
 * and `add`: the library would copy whole values.
 */
function applied(document: unknown, each: Operation, at: number, own: WeakSet<object>): unknown {
  const change = (before: unknown, operation: Operation) => {
    const path = segmentsOf(operation.path).slice(0, -1)
    return applyOperation(withOwnPath(before, path, own), operation).newDocument
  }
  switch (each.op) {
    case 'move': {
      const add: Operation = { op: 'add', path: each.path, value: valueAt(document, each.from) }
      const rest = change(document, { op: 'remove', path: each.from })
      // The removal may have taken the target's parent along, or moved it.
      if (!isResolvable(rest, add)) throw unpatchable(each, at)
      return change(rest, add)
    }
    case 'copy':
      return change(document, { op: 'add', path: each.path, value: valueAt(document, each.from) })
    case 'test':
      try {
        return applyOperation(document, each).newDocument
      } catch (error) {
        if ((error as JsonPatchError).name !== 'TEST_OPERATION_FAILED') throw error
        throw problem('failed-test', `Operation ${at} (test) found another value.`)
      }
    default:
      return change(document, each)
  }
}

/**
 * The document with copies of the containers on a path, so that the library's change reaches no value that is shared.
 * @param own containers that are copies already.
 */
function withOwnPath(
  document: unknown,
  [name, ...rest]: readonly string[],
  own: WeakSet<object>
): Record<string, unknown> {
  const made = (own.has(Object(document)) ? document : copyOf(document)) as Record<string, unknown>
  own.add(made)
  if (name !== undefined) made[name] = withOwnPath(made[name], rest, own)
  return made
}

const copyOf = (container: unknown) =>
  Array.isArray(container) ? container.slice() : { ...(container as object) }

/** Whether what an operation needs is there: its target or, for a new one, the target's parent; and its source. */
function isResolvable(document: unknown, each: Operation): boolean {
  if (hasSource(each) && valueAt(document, each.from) === undefined) return false
  // RFC 6902, section 4.4: nothing moves into itself.
  if (each.op === 'move') return !each.path.startsWith(`${each.from}/`)
  if (each.op === 'remove' || each.op === 'replace' || each.op === 'test')
    return valueAt(document, each.path) !== undefined
  const segments = segmentsOf(each.path)
  const name = segments.pop()
  if (name === undefined) return true
  const parent = valueIn(document, segments)
  if (!Array.isArray(parent)) return typeof parent === 'object' && parent !== null
  return name === '-' || (isIndex(name) && Number(name) <= parent.length)
}

const valueAt = (document: unknown, path: string): unknown => valueIn(document, segmentsOf(path))

/** The value that a pointer leads to by own members only, none of the prototype's; undefined when it leads nowhere. */
function valueIn(document: unknown, segments: readonly string[]): unknown {
  return segments.reduce((value: unknown, name) => {
    if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isIndex(name)))
      return undefined
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }, document)
}

/** RFC 6901 knows no array index with a leading zero. */
const isIndex = (name: string) => /^(0|[1-9]\d*)$/.test(name)
