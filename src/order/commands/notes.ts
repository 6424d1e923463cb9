import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../platform/auth/call.js'
import type { FieldErrors } from '../../platform/errors/problem.js'
import type { Limits } from '../../settings/config.js'
import type { Note, NoteInput } from '../model/order.schemas.js'
import { orderProblem } from '../model/problems.js'

/** The author of new notes: the caller and the name of the caller's organization. */
export interface Author {
  call: Call
  organization: string
  at: Date
}

/** Notes of a draft. Absent members get defaults from the token and the clock. */
export function draftNotes(input: readonly NoteInput[] | null | undefined, author: Author): Note[] {
  return (input ?? []).map((each) => ({
    timestamp: each.timestamp ? new Date(each.timestamp).toISOString() : author.at.toISOString(),
    authorName: each.authorName ?? nameOf(author.call),
    authorOrganization: each.authorOrganization ?? author.organization,
    note: each.note
  }))
}

/**
 * Notes of a submitted order, which can only be appended to. The author and time of a new note
 * always come from the token and the clock. Adds the error `append-only-notes`.
 */
export function withAppendedNotes(
  before: readonly Note[],
  input: readonly NoteInput[] | null | undefined,
  author: Author,
  errors: FieldErrors
): Note[] {
  const after = input ?? []
  if (!isDeepStrictEqual(after.slice(0, before.length), [...before]))
    errors.add(orderProblem, 'append-only-notes', '/notes')
  const added = after.slice(before.length).map(({ note }) => ({
    timestamp: author.at.toISOString(),
    authorName: nameOf(author.call),
    authorOrganization: author.organization,
    note
  }))
  return added.length === 0 ? [...before] : [...before, ...added]
}

/**
 * Limits the number and the total size of an order's notes. An order that exceeds a limit already
 * may keep its notes or drop some. Adds the error `too-many-notes`.
 */
export function checkNotesWithinLimits(
  errors: FieldErrors,
  before: readonly Note[],
  after: readonly Note[],
  limits: NoteLimits
): void {
  if (after.length > Math.max(limits.notes, before.length))
    errors.add(orderProblem, 'too-many-notes', '/notes', {
      en: `An order can have at most ${limits.notes} notes; this one would have ${after.length}.`,
      da: `En bestilling kan højst have ${limits.notes} noter; denne ville have ${after.length}.`
    })
  const size = bytesOf(after)
  if (size > limits.noteBytes && size > bytesOf(before))
    errors.add(orderProblem, 'too-many-notes', '/notes', {
      en: `The notes of an order can have at most ${limits.noteBytes} bytes of JSON; these would have ${size}.`,
      da: `Noterne i en bestilling kan højst fylde ${limits.noteBytes} byte JSON; disse ville fylde ${size}.`
    })
}

type NoteLimits = Pick<Limits, 'notes' | 'noteBytes'>

const bytesOf = (notes: readonly Note[]) => Buffer.byteLength(JSON.stringify(notes))

const nameOf = (call: Call) => call.caller.name ?? call.caller.userId ?? ''
