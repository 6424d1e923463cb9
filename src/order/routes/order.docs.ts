import { orderabilityCodes } from '../../catalogue/problems.js'
import { ENTERED_IN_ERROR, manualEndReasons } from '../../device/use.js'
import { userTypes } from '../../platform/auth/caller.js'
import { markdownTable } from '../../platform/openapi/text.js'
import { MAX_AGREED_DAYS } from '../model/agreed-time.js'
import { type ChangeRule, inDraft, orderFields, untilClosed } from '../model/order.fields.js'
import {
  type LineStatus,
  lineTransitions,
  orderStatusesAllowing,
  orderTransitions,
  type Transitions
} from '../model/states.js'

/** A row has the transitions from one status that the same user type makes. */
function rowsOf<S extends string>(transitions: Transitions<S>) {
  return (Object.keys(transitions) as S[]).flatMap((from) =>
    userTypes
      .map((by) => ({
        from,
        by,
        to: (Object.keys(transitions[from]) as S[]).filter((to) => transitions[from][to] === by)
      }))
      .filter(({ to }) => to.length > 0)
  )
}

export const orderTransitionTable = (): string =>
  markdownTable(
    ['from', 'to', 'by'],
    rowsOf(orderTransitions).map(({ from, to, by }) => [from, to.join(', '), by])
  )

/** The transitions of an order line, with the statuses of its order in which they are possible. */
export function lineTransitionTable(): string {
  const rows = rowsOf(lineTransitions).flatMap(({ from, to, by }) =>
    to.map((each: LineStatus) => [from, each, by, orderStatusesAllowing[each].join(', ')])
  )
  return markdownTable(['from', 'to', 'by', 'while the order is'], rows)
}

export const orderTag = 'Orders of buyers to providers for patients, from the draft to the final status.'

/** Errors of the check when a line is added, which runs again at submission. */
export const orderabilityErrors = [...orderabilityCodes, 'device-not-in-use', 'unrelated-item']

const patchErrors = ['failed-test', 'unpatchable-target', 'read-only', 'invalid-result'] as const

export const notesLimitText = ({ notes, noteBytes }: { notes: number; noteBytes: number }) =>
  `An order can have at most ${notes} notes with ${noteBytes} bytes of JSON; an order that already exceeds a limit can still be changed.`

const fieldsWith = (rule: ChangeRule) =>
  Object.entries(orderFields).flatMap(([name, { change }]) => (change === rule ? [name] : []))
const content = [...fieldsWith(inDraft), 'identifiers', 'buyer', 'seller', 'patient'].join(', ')
const changeableUntilClosed = new Intl.ListFormat('en-GB').format(
  ['priority', 'receiver', ...fieldsWith(untilClosed)].map((name) => `the ${name}`)
)

export const listDocs =
  'Newest first by default. Only its buyer sees a DRAFT. With `count=true` the header `X-Total-Count` has the number of entries of the whole list, or `10000+`. With `updatedSince` the header `X-Updated-Until` has a time before which no change can still appear; send it as `updatedSince` of the next poll. All pages of a list have the headers of the first page. With `expand` the response is an object: `entries`, the array, and `expanded`, the resources that they refer to, by their URLs.'
const reasonDocs = (statuses: string) =>
  `A change of the status to ${statuses} can give a reason in the same JSON Patch: \`add\` at \`/statusReason\` an object with
a \`code\`, a \`text\` or both. The next change of the status without a reason removes it. The trace names only the code's
display.`

/** The rules of questions between the sides, in Markdown. */
const awaitingDocs = `A side that asks the other one something sets \`/awaiting\` to the other side in the JSON Patch that adds the note: Provider to
\`BUYER\`, MonitoringResponsible to \`SELLER\`, while the order is SUBMITTED or ACCEPTED. A note of the awaited side clears it,
unless the same patch sets it, also to the value that it has; so does null, by either side, and closing the order.`

export const orderTransitionDocs = `The content (${content}) can only change in a DRAFT. Until the order is closed, ${changeableUntilClosed}
can change; the trace names the changed members of the receiver and of the delivery wish (the earliest and the latest
delivery date), without their values. Notes of a submitted order can only be appended (\`add\` at \`/notes/-\`).

${awaitingDocs}

${orderTransitionTable()}

A line is open while it is UNFULFILLED or SUBMITTED. Submitting requires at least one open line, and every open line
must be orderable; UNFULFILLED lines become SUBMITTED. Where consent is required, the patient must have an active one that names no supplier or the seller.
Cancelling or rejecting an order cancels its open lines. While a line is FULFILLED, it gets 409: cancel the open lines
of such an order instead, and it becomes FULFILLED. Fulfilling an order fulfils its SUBMITTED lines. While a line is
UNFULFILLED, it gets 409.

${reasonDocs('REJECTED or CANCELLED')}`

export const orderErrors = [
  ...['illegal-transition', 'unfulfilled-lines', 'delivered-lines', 'not-your-move', 'no-open-lines'],
  ...patchErrors,
  ...['order-not-draft', 'order-closed', 'invalid-period'],
  ...['append-only-notes', 'too-many-notes', 'awaiting-not-allowed'],
  ...['reason-not-allowed', 'dangling-reference', 'wrong-role', 'unknown-coding'],
  ...orderabilityErrors,
  ...['no-consent', 'clinical-backend-unavailable']
]

export const lineTransitionDocs = `The item, the action and \`relatedTo\` can only change while the order is a DRAFT and the line is open. The provider sets, changes and removes the agreed time
(\`agreedFrom\` and \`agreedTo\`, both or neither, at most ${MAX_AGREED_DAYS} days apart) of a SUBMITTED line, also in the JSON Patch that
changes its status. It may be in the past or outside the buyer’s wish. A line that becomes UNFULFILLED loses it. When the last open line of a SUBMITTED or ACCEPTED
order is closed, the order becomes FULFILLED if a line is FULFILLED, else CANCELLED. A SUBMITTED line that could not be
delivered becomes UNFULFILLED.

${lineTransitionTable()}

A FULFILLED line with the action DELIVER or REPLACE has a \`device\`. The provider writes its \`serialNumber\`, \`lotNumber\`, \`udi\` and
\`expiryDate\`, in the JSON Patch that fulfils the line or later (\`add\` at \`/device\` or at its members), also while the order is
closed. Either side ends its use by hand: \`add\` at \`/device/endReason\` of ${manualEndReasons.join(', ')}; \`remove\` takes that back, unless a line has fetched or
replaced the device since: then that line ends its use. A FULFILLED line with the action PICKUP or REPLACE ends the use of the device that it is about (\`relatedTo\`);
its provider takes that back with \`remove\` at \`/relatedDevice/endReason\`. Only the provider reports ${ENTERED_IN_ERROR}: the device was
never in use, and the end that the same line made of another device is taken back, too.

The JSON Patch that fulfils a line can add \`/performedAt\` (not in the future, not before the submission), \`/receivedBy\` and, if another
model than the ordered one was delivered, \`/device/item\`: a device model of the seller, whatever its status and the buyer’s lists.

${reasonDocs('UNFULFILLED or CANCELLED')}`

export const severalLinesDocs = `At most 100 different lines of one order, under the rules of \`PATCH /order-line/{id}\`. The JSON Patches apply one after the
other. The order is closed at the end, if it then has no open line.`

export const lineErrors = [
  ...['illegal-transition', 'not-your-move'],
  ...patchErrors,
  ...['order-not-draft', 'order-closed', 'line-not-open', 'line-not-submitted', 'invalid-period'],
  ...['reason-not-allowed', 'dangling-reference', 'unknown-coding', 'no-device', 'device-ended'],
  ...orderabilityErrors
]
