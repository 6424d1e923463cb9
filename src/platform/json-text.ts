import jsonc from 'jsonc-parser'
import { pointerOf } from './pointer.js'
import { fieldProblem, problem } from './problem.js'

/** Deeper than anything that the interface asks for, and far from what a recursive reader can bear. */
const deepest = 64

/** Makes the error with which a text is refused. */
export interface JsonRefusals {
  deep(levels: number): Error
  /** `pointer` (RFC 6901) names the member that is there twice. */
  twice(pointer: string): Error
}

const ofBody: JsonRefusals = {
  deep: (levels) => problem('malformed-json', `The body is nested deeper than ${levels} levels.`),
  twice: (pointer) =>
    fieldProblem(problem, 'malformed-json', pointer, `In the body: ${pointer} is there twice. Send it once.`)
}

/**
 * Looks at what `JSON.parse` passes over in a text that it took for JSON: of two members of one name it keeps the last, so a value that
 * was sent would be dropped in silence, and it knows no depth.
 * @throws what `refusals` make of it; for a body Problem `malformed-json`.
 */
export function assertPlainJson(text: string, refusals: JsonRefusals = ofBody): void {
  const open: Set<string>[] = []
  const begin = () => {
    if (open.push(new Set()) > deepest) throw refusals.deep(deepest)
  }
  const end = () => {
    open.pop()
  }
  jsonc.visit(text, {
    onObjectBegin: begin,
    onObjectEnd: end,
    onArrayBegin: begin,
    onArrayEnd: end,
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const names = open.at(-1)
      if (names?.has(name)) throw refusals.twice(pointerOf(...path(), name))
      names?.add(name)
    }
  })
}
