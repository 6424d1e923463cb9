import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import fastJsonPatch from 'fast-json-patch'
import { FieldErrors } from '../errors/field-errors.js'
import { problem } from '../errors/problem.js'
import { platformTexts } from '../errors/texts.js'
import { hasSource, type Operation } from './json-patch.js'
import { segmentsOf } from './json-pointer.js'
import type { PatchResultSchema } from './validation.js'

const { applyOperation } = fastJsonPatch

/**
 * Applies a JSON Patch to a document, all operations or none. Mutates neither. The work is bounded:
 * rejects paths that the schema does not allow before the first operation, and all `copy`
 * operations together copy at most `maxSize` characters.
 * @param maxSize maximum characters of the result as JSON; a larger document must not grow.
 * @param uncounted members of the root that do not count towards `maxSize`.
 * @throws Problem `unpatchable-target`, `failed-test`, `payload-too-large`, `invalid-result`, whose
 * texts contain no part of the document.
 */
export function applyPatch<T>(
  document: object,
  patch: readonly Operation[],
  { schema, validate }: PatchResultSchema<T>,
  maxSize: number,
  uncounted: readonly string[] = []
): T {
  const errors = new FieldErrors()
  for (const [at, each] of patch.entries())
    if (!pathsOf(each).every((path) => isKnown(schema, segmentsOf(path)))) addUnpatchable(errors, each, at)
  errors.check()
  const touched = new Set(patch.flatMap(pathsOf).map((path) => segmentsOf(path)[0]))
  let result: unknown = copyOf(document, touched)
  let copied = 0
  for (const [at, each] of patch.entries()) {
    if (!isResolvable(result, each)) addUnpatchable(errors, each, at)
    else if (each.op === 'copy') {
      const text = JSON.stringify(valueAt(result, each.from))
      copied += text.length
      if (copied > maxSize) throw problem('payload-too-large.copies', null, { max: maxSize })
      result = change(result, { op: 'add', path: each.path, value: JSON.parse(text) })
    } else result = applyOne(result, each, at, errors)
  }
  errors.check()
  const valid = validate(result)
  if ([...touched].every((name) => uncounted.includes(name ?? ''))) return valid
  const size = sizeOf(uncounted.length === 0 ? result : counted(result, uncounted))
  if (size > maxSize && size > sizeOf(counted(document, uncounted)))
    throw problem('payload-too-large.result', null, { max: maxSize })
  return valid
}

/** A copy of a document that shares its other members, because most patches change only a few. */
function copyOf(document: object, touched: ReadonlySet<string | undefined>): object {
  const copy: Record<string, unknown> = { ...document }
  for (const name of touched)
    if (name !== undefined && Object.hasOwn(copy, name)) copy[name] = copyOfValue(copy[name])
  return copy
}

/** A copy that can be mutated. A text needs no copy, which halves the time of a small patch. */
const copyOfValue = (value: unknown) =>
  typeof value === 'object' && value !== null ? structuredClone(value) : value

/** The counted members. Other members must not block a status change, however large they are. */
const counted = (document: unknown, uncounted: readonly string[]) =>
  Object.fromEntries(Object.entries(document as object).filter(([name]) => !uncounted.includes(name)))

const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0

const pathsOf = (each: Operation) => (hasSource(each) ? [each.path, each.from] : [each.path])

/** Whether a value of the schema can have a member at a path. */
function isKnown(schema: TSchema, [name, ...rest]: readonly string[]): boolean {
  // A schema without a type accepts any value.
  if (name === undefined || schema.type === undefined) return true
  const { items, properties = {} } = schema as { items?: TSchema; properties?: Record<string, TSchema> }
  const inner = items ?? (Object.hasOwn(properties, name) ? properties[name] : undefined)
  return inner !== undefined && isKnown(inner, rest)
}

function addUnpatchable(errors: FieldErrors, each: Operation, at: number): void {
  const values = { at, op: each.op, paths: pathsOf(each).join(', ') }
  errors.add(problem('unpatchable-target.paths', `/${at}`, values))
}

/**
 * The library would clone values that `move` replaces. After an error `test` is not evaluated,
 * because an operation before it was not applied.
 */
function applyOne(document: unknown, each: Operation, at: number, errors: FieldErrors): unknown {
  switch (each.op) {
    case 'move': {
      const add: Operation = { op: 'add', path: each.path, value: valueAt(document, each.from) }
      const rest = change(document, { op: 'remove', path: each.from })
      // The removal may have removed or shifted the target's parent.
      if (isResolvable(rest, add)) return change(rest, add)
      addUnpatchable(errors, each, at)
      return rest
    }
    case 'test':
      if (errors.all.length > 0 || isDeepStrictEqual(valueAt(document, each.path), each.value))
        return document
      throw problem('failed-test.otherValue', null, { at, path: each.path || platformTexts.root })
    default:
      return change(document, 'value' in each ? { ...each, value: copyOfValue(each.value) } : each)
  }
}

const change = (document: unknown, operation: Operation): unknown =>
  applyOperation(document, operation).newDocument

/** Whether the source exists, and the target or, for `add` and `copy`, the parent of the target. */
function isResolvable(document: unknown, each: Operation): boolean {
  if (hasSource(each) && valueAt(document, each.from) === undefined) return false
  // RFC 6902, section 4.4: a value cannot move into itself.
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

/** The value at a path of a document. Undefined if there is no value. */
export const valueAt = (document: unknown, path: string): unknown => valueIn(document, segmentsOf(path))

/** Resolves a pointer through own members only. Undefined if there is no value. */
function valueIn(document: unknown, segments: readonly string[]): unknown {
  return segments.reduce((value: unknown, name) => {
    if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isIndex(name)))
      return undefined
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }, document)
}

/** RFC 6901 allows no leading zero in an array index. */
const isIndex = (name: string) => /^(0|[1-9]\d*)$/.test(name)
