import { resolveParties } from '../../agreement/lookup.js'
import { findItemsByUrl } from '../../catalogue/lookup.js'
import { findOrderabilityReasons, type OrderabilityReason } from '../../catalogue/orderability.js'
import { findCurrentPatient } from '../../clinical/current-patient.js'
import { invalidClinicalReference } from '../../clinical/reference.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Language } from '../../platform/errors/language.js'
import type { Problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import type { ItemOrderability, OrderabilityInput } from '../model/orderability.schemas.js'
import { unknownItem } from '../new-lines.js'

/**
 * Checks which items a buyer can order for a patient today, by the rules for a new order line.
 * Buyer, seller and patient must be valid for a new order. Writes nothing.
 * @throws Problem `dangling-reference`, `wrong-role`, `clinical-backend-unavailable`.
 */
export async function checkOrderability(
  ports: Ports,
  call: Call,
  input: OrderabilityInput
): Promise<ItemOrderability[]> {
  const { language = 'en' } = call
  const { seller: sellerUrl, items } = input
  const patient = await findCurrentPatient(ports.db, input.patient)
  const errors = new FieldErrors()
  const [buyer, seller] = await resolveParties(ports, call, errors, [
    { pointer: '/buyer', url: input.buyer, role: 'BUYER', scope: 'own' },
    ...(sellerUrl == null ? [] : [{ pointer: '/seller', url: sellerUrl, role: 'SELLER' as const }])
  ])
  if (!ports.clinical.isReference(patient, 'Patient'))
    errors.add(invalidClinicalReference('Patient', '/patient'))
  errors.check()
  if (!buyer) throw new Error('A valid reference leads to a party.')
  const found = await findItemsByUrl(ports, items)
  const parties = { buyerId: buyer.id, sellerId: seller?.id, patient }
  const ids = [...found.values()].map(({ id }) => id)
  const reasons = await findOrderabilityReasons(ports, parties, ids)
  await ports.clinical.assertExists(call, 'Patient', patient, '/patient')
  const reasonsOf = reasonsByItem(reasons, language)
  return items.map((item) => {
    const id = found.get(item)?.id
    const reasons = id === undefined ? [reasonOf(unknownItem(ports, item), language)] : reasonsOf(id)
    return { item, orderable: reasons.length === 0, reasons }
  })
}

/** The reasons of each item: those between the parties, then its own. */
function reasonsByItem(
  reasons: readonly OrderabilityReason[],
  language: Language
): (itemId: string) => ItemOrderability['reasons'] {
  const byItem = new Map<string | undefined, ItemOrderability['reasons']>()
  for (const reason of reasons) {
    const { itemId } = reason
    const known = byItem.get(itemId) ?? []
    known.push(reasonOf(reason.problemAt(null), language))
    byItem.set(itemId, known)
  }
  return (itemId) => [...(byItem.get(undefined) ?? []), ...(byItem.get(itemId) ?? [])]
}

const reasonOf = ({ code, detail }: Problem, language: Language) => ({ code, detail: detail[language] })
