import { type Problem, problem } from '../../platform/errors/problem.js'
import { catalogueProblem } from '../problems.js'

/** Why an import cannot be undone, with the sentence for the caller. */
const details = {
  'is-undo': 'It is the undo of another import. Import the workbook again instead.',
  'already-undone': 'It was undone before.',
  'later-import':
    'The catalogue was imported, or an import undone, since. Only the last import can be undone.',
  'too-old': 'The former content is no longer kept.',
  distributed: 'The orders are distributed over several nodes. Imports cannot be undone there.',
  ordered: 'An order has the item since the import.',
  changed: 'It changed since the import.',
  added: 'The item was added to the catalogue since the import that created the catalogue.',
  related: 'The service relates to an item that the import created.',
  'identifier-taken': 'An item has an identifier that the former content needs.',
  seller:
    'The catalogue had another seller, to whom it cannot return: it is not yours to change, or items of other catalogues are related.'
} as const
type UndoObstacle = keyof typeof details

/** Obstacles that a response lists. */
const MAX_LISTED = 100

/** Collects what stands against an undo, to report all of it at once. */
export class Obstacles {
  readonly #found: { code: UndoObstacle; detail: string; resource: string | null }[] = []

  /** @param resources URLs of the resources concerned; by default the import as a whole. */
  add(code: UndoObstacle, resources: readonly (string | null)[] = [null]): void {
    for (const resource of resources) this.#found.push({ code, detail: details[code], resource })
  }

  /** @throws Problem `import-not-undoable` with the first ones and their total, if there is any. */
  check(): void {
    const [first] = this.#found
    if (!first) return
    const total = this.#found.length
    const more = total === 1 ? '' : ` There are ${total} such reasons; see obstacles.`
    throw catalogueProblem(
      'import-not-undoable',
      `Nothing was changed. ${first.resource === null ? '' : `${first.resource}: `}${first.detail}${more}`,
      { members: { total, obstacles: this.#found.slice(0, MAX_LISTED) } }
    )
  }
}

/**
 * @throws Problem `import-not-undoable` with one obstacle.
 */
export function refuseUndo(code: UndoObstacle): never {
  const obstacles = new Obstacles()
  obstacles.add(code)
  obstacles.check()
  throw new Error('An obstacle refuses the undo.')
}

/** The problem when somebody else holds a row that the undo needs. */
export const contended = (): Problem =>
  problem('busy', 'A row of the import is in use by another request. Try again.', {
    headers: { 'retry-after': '1' }
  })
