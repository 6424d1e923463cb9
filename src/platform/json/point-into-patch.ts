import { inEachLanguage } from '../errors/language.js'
import { Problem } from '../errors/problem.js'
import { hasSource, type Operation, writesTo } from './json-patch.js'
import { pointerOf, segmentsOf } from './json-pointer.js'

/** A problem whose pointers refer to the sent JSON Patch instead of the resource. */
export function pointIntoPatch(found: Problem, patch: readonly Operation[]): Problem {
  const { status, code, title, detail, headers, members, cause } = found
  const errors = found.errors.map((error) => {
    const { pointer, resource } = error
    // The pointer of an operation. No member of a resource is a number, so it differs from pointers
    // into the resource.
    if (/^\/\d/.test(pointer)) return error
    return {
      ...error,
      pointer: inPatch(pointer, patch),
      detail: resource ? error.detail : inEachLanguage((language) => `${pointer}: ${error.detail[language]}`)
    }
  })
  return new Problem(status, code, title, detail, { headers, members, errors, cause })
}

/**
 * Like {@link pointIntoPatch}, for one of several JSON Patches in a body, which is at this pointer.
 * A problem of the whole patch gets the pointer to the patch.
 */
export function pointIntoPatchAt(at: string, found: Problem, patch: readonly Operation[]): Problem {
  const { status, code, title, detail, headers, members, cause, errors } = pointIntoPatch(found, patch)
  const inPatch = errors.length > 0 ? errors : [{ pointer: '', code, detail }]
  const located = inPatch.map((error) => ({ ...error, pointer: `${at}${error.pointer}` }))
  return new Problem(status, code, title, detail, { headers, members, errors: located, cause })
}

/**
 * The value that the last operation writes to a member, or above or below it. For a member that no
 * operation writes, the cause is a transition (an operation that writes `status`), if there is one,
 * otherwise the last operation.
 */
function inPatch(pointer: string, patch: readonly Operation[]): string {
  const segments = segmentsOf(pointer)
  const shares = patch.map((each) => sharedSegments(segments, each))
  const most = Math.max(...shares)
  if (most < 0) {
    const transition = patch.findIndex((each) => writesTo(each, 'status'))
    return at(patch, transition < 0 ? patch.findLastIndex(({ op }) => op !== 'test') : transition)
  }
  const index = shares.lastIndexOf(most)
  const isWithin = most === segmentsOf(patch[index]?.path ?? '').length
  return at(patch, index, isWithin ? segments.slice(most) : [])
}

/** The pointer to the value of an operation, or into it; to an operation without a value itself. */
function at(patch: readonly Operation[], index: number, within: readonly string[] = []): string {
  const operation = patch[index]
  if (!operation) return ''
  return 'value' in operation ? `/${index}/value${pointerOf(...within)}` : `/${index}`
}

/**
 * The number of segments of a pointer with which the operation's path begins; -1 if the operation
 * does not write there.
 */
function sharedSegments(segments: readonly string[], operation: Operation): number {
  if (operation.op === 'test') return -1
  const paths = hasSource(operation) ? [operation.path, operation.from] : [operation.path]
  const shared = paths.map(segmentsOf).map((names) => {
    if (names.length === 0) return 0
    const end = segments.findIndex((each, index) => names[index] !== each && names[index] !== '-')
    return end < 0 ? segments.length : end || -1
  })
  return Math.max(...shared)
}
