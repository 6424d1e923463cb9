import { resolveParties } from '../../agreement/lookup.js'
import { invalidReferenceDetail } from '../../clinical/clinical.js'
import type { Actor } from '../../platform/auth/actor.js'
import { FieldErrors, fieldProblem, problem } from '../../platform/errors/problem.js'
import { withoutTrailingSlash } from '../../platform/rest/resource-urls.js'
import { identifiersOf } from '../../platform/schemas/schemas.js'
import { searchTexts } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import type { OrderInput } from '../model/order.schemas.js'

export type OrderColumns = Pick<OrderInput, 'identifiers' | 'name' | 'buyer' | 'seller' | 'receiver'>

/**
 * Checks what an order says (all but status, priority and notes) and answers it as columns. The buyer must be of the
 * caller's organization. Whether the patient is there is asked last, elsewhere: the clinical backend may take its time.
 * @param invalid the code for a receiver that contradicts itself, or names no patient.
 * @param kept the patient that the order has already, who may be from when the clinical backend was elsewhere.
 * @throws Problem `dangling-reference`, `wrong-role`, `invalid-body`, `invalid-result`.
 */
export async function toColumns(
  ports: Ports,
  actor: Actor,
  input: OrderColumns,
  invalid: Invalid,
  kept?: string
) {
  const receiver = receiverColumns(input.receiver, invalid)
  actor.trail.touch(receiver.patient)
  const faults = new FieldErrors()
  const [buyer, seller] = await resolveParties(ports, actor, faults, [
    { pointer: '/buyer', url: input.buyer, role: 'BUYER', within: 'own' },
    { pointer: '/seller', url: input.seller, role: 'SELLER' }
  ])
  if (receiver.patient !== kept && !ports.clinical.isReference(receiver.patient, 'Patient'))
    faults.dangling('/receiver/patient', invalidReferenceDetail('Patient'))
  faults.check()
  if (!buyer || !seller) throw new Error('references without faults lead to parties')
  const identifiers = identifiersOf(input.identifiers)
  const searched = [input.name, receiver.receiverName, ...identifiers.map((each) => each.value)]
  const [searchText = ''] = await searchTexts([searched])
  return {
    buyer,
    seller,
    columns: {
      identifiers,
      name: input.name ?? null,
      searchText,
      buyerId: buyer.id,
      sellerId: seller.id,
      ...receiver
    }
  }
}

type Invalid = 'invalid-body' | 'invalid-result'
type Receiver = OrderInput['receiver']

function receiverColumns(receiver: Receiver, invalid: Invalid) {
  const [present, earlier] = [receiver.patient, receiver.clinicalRef].map(
    (url) => (url ?? null) && withoutTrailingSlash(url ?? '')
  )
  const references = { ...receiver, patient: present ?? null, clinicalRef: earlier ?? null }
  const patient = either(references, 'patient', 'clinicalRef', invalid)
  if (patient === undefined)
    throw fieldProblem(problem, invalid, '/receiver/patient', '/receiver/patient is required.')
  return {
    receiverName: receiver.name,
    receiverAddressLine1: either(receiver, 'addressLine1', 'addressLine 1', invalid) ?? null,
    receiverAddressLine2: receiver.addressLine2 ?? null,
    receiverPostalCode: receiver.postalCode ?? null,
    receiverPostalDistrict: receiver.postalDistrict ?? null,
    receiverEmail: receiver.email ?? null,
    receiverPhone: receiver.phone ?? null,
    patient
  }
}

/** The value of a member that has an earlier name as well; both at once must not contradict each other. */
function either(
  receiver: Receiver,
  name: keyof Receiver,
  earlier: keyof Receiver,
  invalid: Invalid
): string | undefined {
  const [value, other] = [receiver[name] ?? undefined, receiver[earlier] ?? undefined]
  if (value !== undefined && other !== undefined && value !== other) {
    const pointer = `/receiver/${earlier}`
    throw fieldProblem(
      problem,
      invalid,
      pointer,
      `${pointer} is the earlier name of ${name} and has another value.`
    )
  }
  return value ?? other
}
