import type { UserType } from '../../platform/auth/caller.js'
import type { Words } from '../../platform/errors/language.js'
import { fieldProblem } from '../../platform/errors/problem.js'
import { addTrace, type OrderChange, oldAndNew } from '../change/change-order.js'
import type { Order, PatchedOrder } from '../model/order.schemas.js'
import { isClosed, isWithSeller } from '../model/order.state.js'
import { orderProblem } from '../model/problems.js'

/** The side that users of a type act for, as a value of `awaiting`. */
const sides: Partial<Record<UserType, 'BUYER' | 'SELLER'>> = {
  MonitoringResponsible: 'BUYER',
  Provider: 'SELLER'
}

/**
 * Sets or clears whose answer an order awaits, as the result of a JSON Patch says. A new note of
 * the awaited side clears it, unless the patch sets it. Call it after the transition of the patch,
 * which clears it when it closes the order.
 * @throws Problem `not-your-move`, `order-closed`, `awaiting-not-allowed`.
 */
export function changeAwaiting(change: OrderChange, before: Order, after: PatchedOrder): void {
  const { awaiting: stored } = change.snapshot.order
  const awaiting = after.awaiting ?? null
  const own = sides[change.call.caller.userType]
  const hasNewNote = (after.notes?.length ?? 0) > before.notes.length
  if (awaiting !== null && awaiting !== stored) {
    assertMayAwait(change, awaiting !== own, hasNewNote)
    if (!isWithSeller(change.order.status)) return
    change.order = { ...change.order, awaiting }
    addTrace(change, { text: 'Order awaits an answer.', supplementaryText: oldAndNew(stored, awaiting) })
  } else if (stored !== null && (awaiting === null || (hasNewNote && stored === own)))
    change.order = { ...change.order, awaiting: null }
}

function assertMayAwait({ snapshot }: OrderChange, isOfOtherSide: boolean, hasNewNote: boolean): void {
  const { status } = snapshot.order
  const refusal = (code: Parameters<typeof orderProblem>[0], detail: Words) =>
    fieldProblem(orderProblem, code, '/awaiting', detail)
  if (!isOfOtherSide)
    throw refusal('not-your-move', {
      en: 'Provider asks the BUYER, and MonitoringResponsible the SELLER.',
      da: 'Provider spørger BUYER, og MonitoringResponsible spørger SELLER.'
    })
  if (isClosed(status))
    throw refusal('order-closed', {
      en: `The order is ${status}. This member can no longer change.`,
      da: `Bestillingen er ${status}. Feltet kan ikke længere ændres.`
    })
  if (!isWithSeller(status))
    throw refusal('awaiting-not-allowed', {
      en: `The order is ${status}. Only a SUBMITTED or ACCEPTED order awaits an answer.`,
      da: `Bestillingen er ${status}. Kun en bestilling, der er SUBMITTED eller ACCEPTED, afventer et svar.`
    })
  if (!hasNewNote)
    throw refusal('awaiting-not-allowed', {
      en: 'Ask in the same JSON Patch: add a note at /notes/-.',
      da: 'Spørg i samme JSON Patch: tilføj en note på /notes/-.'
    })
}
