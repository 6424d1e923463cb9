import type { OrderabilityCode } from '../../catalogue/problems.js'

/** Why an item cannot be ordered: asked when a line is added, and again at submission. */
export const orderabilityErrors: readonly OrderabilityCode[] = [
  'no-contract',
  'foreign-item',
  'catalogue-not-active',
  'item-not-available',
  'not-white-listed',
  'black-listed'
]

/** What can be wrong with a JSON Patch. */
export const patchErrors = ['failed-test', 'unpatchable-target', 'read-only', 'invalid-result'] as const

/** What the notes of an order are together at most, in a sentence. */
export const notesLimitText = ({ notes, noteBytes }: { notes: number; noteBytes: number }) =>
  `An order has ${notes} notes and ${noteBytes} bytes of them, as JSON, at most; one that has more already stays changeable.`

/** How an order is changed and moved, in Markdown. */
export const orderMovesDocs = `What it asks for (name, identifiers, buyer, seller, receiver) changes in a DRAFT alone, its priority while it
is running, and notes of a submitted order can only be added to (\`add\` at \`/notes/-\`).

| from | to | by |
|---|---|---|
| DRAFT | SUBMITTED, CANCELLED | MonitoringResponsible |
| SUBMITTED | ACCEPTED, REJECTED, FULFILLED | Provider |
| SUBMITTED, ACCEPTED | CANCELLED | MonitoringResponsible |
| ACCEPTED | FULFILLED | Provider |

Submitting needs a line that is UNFULFILLED or SUBMITTED, every such line orderable, and moves the UNFULFILLED ones to SUBMITTED. Where
consent is required, it needs an active one of the patient.
Cancelling or rejecting cancels the open lines and is refused while a line is FULFILLED; cancelling the open lines of such an order makes
it FULFILLED. Fulfilling takes SUBMITTED lines along and is refused while one is UNFULFILLED.`

export const orderErrors = [
  ...['illegal-transition', 'unfulfilled-lines', 'delivered-lines', 'not-your-move', 'no-open-lines'],
  ...patchErrors,
  ...['order-not-draft', 'order-closed', 'append-only-notes', 'too-many-notes'],
  ...['dangling-reference', 'wrong-role', 'unknown-coding'],
  ...orderabilityErrors,
  ...['no-consent', 'clinical-backend-unavailable']
]

/** How an order line is changed and moved, in Markdown. */
export const lineMovesDocs = `Its item and its action change while the order is a DRAFT. When the last open line of a running order is done, the
order follows: FULFILLED if a line is FULFILLED, else CANCELLED.

| from | to | by |
|---|---|---|
| UNFULFILLED | SUBMITTED | MonitoringResponsible, on a running order |
| SUBMITTED | FULFILLED, UNFULFILLED (could not be done) | Provider |
| UNFULFILLED, SUBMITTED | CANCELLED | MonitoringResponsible |`

export const lineErrors = [
  ...['illegal-transition', 'not-your-move'],
  ...patchErrors,
  ...['order-not-draft', 'dangling-reference', 'unknown-coding'],
  ...orderabilityErrors
]
