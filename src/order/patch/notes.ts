import { isDeepStrictEqual } from 'node:util'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { organizationName } from '../change.js'
import { type Author, checkNotesWithinLimits, draftNotes, newNote } from '../notes.js'
import { orderProblem } from '../texts.js'
import type { OrderPatch } from './steps.js'

/**
 * Changes the notes of a draft, or appends notes to a submitted order. Returns `append-only-notes`
 * and `too-many-notes`.
 */
export function changeNotes(patch: OrderPatch): FieldErrors {
  const { ports, change, before, after } = patch
  const errors = new FieldErrors()
  if (isDeepStrictEqual(after.notes, before.notes)) return errors
  const author = {
    call: change.call,
    organization: organizationName(change.call, change.snapshot),
    at: change.at
  }
  const isDraft = change.order.status === 'DRAFT'
  const notes = isDraft ? draftNotes(after.notes, author) : withAppendedNotes(patch, errors, author)
  checkNotesWithinLimits(errors, before.notes, notes, ports.limits)
  change.order = { ...change.order, notes }
  return errors
}

/** The author and the time of an appended note always come from the token and the clock. */
function withAppendedNotes(
  { before: { notes: before }, after }: OrderPatch,
  errors: FieldErrors,
  author: Author
) {
  const notes = after.notes ?? []
  if (!isDeepStrictEqual(notes.slice(0, before.length), before))
    errors.add(orderProblem('append-only-notes', '/notes'))
  return [...before, ...notes.slice(before.length).map(({ note }) => newNote(note, author))]
}
