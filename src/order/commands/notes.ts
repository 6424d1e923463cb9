import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/auth/actor.js'
import { fieldProblem } from '../../platform/errors/problem.js'
import type { Limits } from '../../settings/config.js'
import type { Note, NoteInput } from '../model/order.schemas.js'
import { orderProblem } from '../model/problems.js'

/** Who writes notes now: the caller, and what the caller's organization is called. */
export interface Author {
  actor: Actor
  organization: string
  at: Date
}

/** Notes of a draft, which its buyer may write as it likes: what is absent is filled in from the token and the clock. */
export function draftNotes(input: readonly NoteInput[] | null | undefined, author: Author): Note[] {
  return (input ?? []).map((each) => ({
    timestamp: each.timestamp ? new Date(each.timestamp).toISOString() : author.at.toISOString(),
    authorName: each.authorName ?? nameOf(author.actor),
    authorOrganization: each.authorOrganization ?? author.organization,
    note: each.note
  }))
}

/**
 * Notes of an order that was submitted: they can only be added to, and who wrote a new one, and when, is what the token and
 * the clock say, whatever the note says.
 * @throws Problem `append-only-notes`.
 */
export function appendedNotes(
  before: readonly Note[],
  input: readonly NoteInput[] | null | undefined,
  author: Author
): Note[] {
  const after = input ?? []
  if (!isDeepStrictEqual(after.slice(0, before.length), [...before]))
    throw orderProblem('append-only-notes', 'Add a note with the operation add at /notes/-.')
  const added = after.slice(before.length).map(({ note }) => ({
    timestamp: author.at.toISOString(),
    authorName: nameOf(author.actor),
    authorOrganization: author.organization,
    note
  }))
  return added.length === 0 ? [...before] : [...before, ...added]
}

/**
 * Bounds what the notes of an order are together. An order that has more already stays as it is, or gets fewer.
 * @throws Problem `too-many-notes`.
 */
export function assertFewNotes(before: readonly Note[], after: readonly Note[], limits: NoteLimits): void {
  if (after.length > Math.max(limits.notes, before.length))
    throw fieldProblem(
      orderProblem,
      'too-many-notes',
      '/notes',
      `An order has ${limits.notes} notes at most; this one would have ${after.length}.`
    )
  const size = bytesOf(after)
  if (size > limits.noteBytes && size > bytesOf(before))
    throw fieldProblem(
      orderProblem,
      'too-many-notes',
      '/notes',
      `The notes of an order have ${limits.noteBytes} bytes of JSON at most; these would have ${size}.`
    )
}

type NoteLimits = Pick<Limits, 'notes' | 'noteBytes'>

const bytesOf = (notes: readonly Note[]) => Buffer.byteLength(JSON.stringify(notes))

const nameOf = (actor: Actor) => actor.name ?? actor.userId ?? ''
