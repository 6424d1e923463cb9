import type { Call } from '../platform/auth/call.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import type { Limits } from '../settings/config.js'
import type { Note, NoteInput } from './model/order.schemas.js'
import { orderProblem } from './texts.js'

/** The author of new notes: the caller and the name of the caller's organization. */
export interface Author {
  call: Call
  organization: string
  at: Date
}

/** Notes of a draft. Absent members get defaults from the token and the clock. */
export const draftNotes = (input: readonly NoteInput[] | null | undefined, author: Author): Note[] =>
  (input ?? []).map((each) => {
    const written = newNote(each.note, author)
    return {
      timestamp: each.timestamp ? new Date(each.timestamp).toISOString() : written.timestamp,
      authorName: each.authorName ?? written.authorName,
      authorOrganization: each.authorOrganization ?? written.authorOrganization,
      note: each.note
    }
  })

export const newNote = (note: string, { call: { caller }, organization, at }: Author): Note => ({
  timestamp: at.toISOString(),
  authorName: caller.name ?? caller.userId ?? '',
  authorOrganization: organization,
  note
})

/**
 * Limits the number and the total size of an order's notes. An order that already exceeds a limit
 * may keep or remove notes. Adds the error `too-many-notes`.
 */
export function checkNotesWithinLimits(
  errors: FieldErrors,
  before: readonly Note[],
  after: readonly Note[],
  limits: Pick<Limits, 'notes' | 'noteBytes'>
): void {
  const { notes, noteBytes } = limits
  const [count, size] = [after.length, bytesOf(after)]
  if (count > Math.max(notes, before.length) || size > Math.max(noteBytes, bytesOf(before)))
    errors.add(orderProblem('too-many-notes.limits', '/notes', { notes, noteBytes, count, size }))
}

const bytesOf = (notes: readonly Note[]) => Buffer.byteLength(JSON.stringify(notes))
