import jsonc from 'jsonc-parser'
import { pointerOf } from './pointer.js'
import { fieldProblem, problem } from './problem.js'

/** Deeper than anything that the interface asks for, and far from what a recursive reader can bear. */
const deepest = 64

/**
 * Looks at what `JSON.parse` passes over in a text that it took for JSON: of two members of one name it keeps the last, so a value that
 * was sent would be dropped in silence, and it knows no depth.
 * @throws Problem `malformed-json`.
 */
export function assertPlainJson(text: string): void {
  const open: Set<string>[] = []
  const begin = () => {
    if (open.push(new Set()) > deepest)
      throw problem('malformed-json', `The body is nested deeper than ${deepest} levels.`)
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
      if (names?.has(name)) throw twice(pointerOf(...path(), name))
      names?.add(name)
    }
  })
}

const twice = (pointer: string) =>
  fieldProblem(problem, 'malformed-json', pointer, `In the body: ${pointer} is there twice. Send it once.`)
