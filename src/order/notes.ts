import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../platform/actor.js'
import type { Note, NoteInput } from './order.schemas.js'
import { orderProblem } from './problems.js'

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

const nameOf = (actor: Actor) => actor.name ?? actor.userId ?? ''
