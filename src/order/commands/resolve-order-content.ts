import { resolveParties } from '../../agreement/lookup.js'
import type { PartyRow } from '../../agreement/tables.js'
import { invalidReferenceDetail } from '../../clinical/clinical.js'
import type { Call } from '../../platform/auth/call.js'
import { FieldErrors, problem } from '../../platform/errors/problem.js'
import type { Fields, FieldValue } from '../../platform/schemas/fields.js'
import { identifiersOf } from '../../platform/schemas/schemas.js'
import { withoutTrailingSlash } from '../../platform/util/resource-urls.js'
import { searchTexts } from '../../platform/util/search-text.js'
import type { Ports } from '../../ports.js'
import { orderFields, receiverFields } from '../model/order.fields.js'
import type { OrderInput, readOnlyMembers } from '../model/order.schemas.js'
import type { OrderRow } from '../store/tables.js'

/** Adds further errors of a request, which may depend on the parties that it names. */
export type CheckMore = (
  errors: FieldErrors,
  parties: { buyer?: PartyRow | undefined; seller?: PartyRow | undefined }
) => void

/** The members of an order that have no rule of their own. */
export type OrderContent = Omit<
  OrderInput,
  | 'id'
  | 'status'
  | 'statusReason'
  | 'priority'
  | 'notes'
  | 'awaiting'
  | 'orderLines'
  | keyof typeof readOnlyMembers
>

/** The columns that {@link OrderContent} fills: all but those that a change of the order sets. */
type ContentColumns = Omit<
  OrderRow,
  | 'id'
  | 'status'
  | 'statusReasonCode'
  | 'statusReasonText'
  | 'priority'
  | 'notes'
  | 'revision'
  | 'traceCount'
  | 'eventCount'
  | 'createdAt'
  | 'changedAt'
  | 'submittedAt'
  | 'deletedAt'
  | 'awaiting'
  | 'agreedUntil'
>

/**
 * Validates the content of an order and returns it as columns. The buyer must belong to the
 * caller's organization. Does not check that the patient exists: the clinical backend may be slow,
 * so callers ask it last.
 * @param invalid the code for a receiver that contradicts itself, or names no patient.
 * @param options.check adds further errors of the request, to report all of them at once.
 * @param options.currentPatient the patient of the order so far. It stays valid even if its URL
 * belongs to an earlier address of the clinical backend.
 * @throws Problem `dangling-reference`, `wrong-role`, `invalid-period`, `invalid-body`,
 * `invalid-result`.
 */
export async function resolveOrderContent(
  ports: Ports,
  call: Call,
  input: OrderContent,
  invalid: Invalid,
  { currentPatient, check }: { currentPatient?: string; check?: CheckMore } = {}
): Promise<{ buyer: PartyRow; seller: PartyRow; columns: ContentColumns }> {
  const errors = new FieldErrors()
  const receiver = receiverColumns(input.receiver, invalid, errors)
  const { patient } = receiver
  const hasPatient = !errors.all.some(({ pointer }) => pointer === PATIENT)
  if (hasPatient) call.auditContext.addSubject(patient)
  const [buyer, seller] = await resolveParties(ports, call, errors, [
    { pointer: '/buyer', url: input.buyer, role: 'BUYER', scope: 'own' },
    { pointer: '/seller', url: input.seller, role: 'SELLER' }
  ])
  if (hasPatient && patient !== currentPatient && !ports.clinical.isReference(patient, 'Patient'))
    errors.addUnresolvedReference(PATIENT, invalidReferenceDetail('Patient'))
  validateWish(input, errors)
  check?.(errors, { buyer, seller })
  errors.check()
  if (!buyer || !seller) throw new Error('valid references lead to parties')
  return {
    buyer,
    seller,
    columns: { ...(await plainColumns(input, receiver)), buyerId: buyer.id, sellerId: seller.id }
  }
}

/**
 * Returns the content of an order, without its parties, as columns: no reference in it may change
 * after the draft.
 * @param invalid as for {@link resolveOrderContent}.
 * @throws Problem `invalid-period`, `invalid-result`.
 */
export function resolveLateContent(input: OrderContent, invalid: Invalid, check: CheckMore) {
  const errors = new FieldErrors()
  const receiver = receiverColumns(input.receiver, invalid, errors)
  validateWish(input, errors)
  check(errors, {})
  errors.check()
  return plainColumns(input, receiver)
}

function validateWish(input: OrderContent, errors: FieldErrors): void {
  const { earliestDeliveryDate: earliest, latestDeliveryDate: latest } = input
  if (earliest && latest && earliest > latest)
    errors.add(problem, 'invalid-period', '/latestDeliveryDate', {
      en: 'It must not be before the earliest delivery date.',
      da: 'Det må ikke være før den tidligste leveringsdato.'
    })
}

async function plainColumns(input: OrderContent, receiver: ReturnType<typeof receiverColumns>) {
  const identifiers = identifiersOf(input.identifiers)
  const searchedTexts = [input.name, receiver.receiverName, ...identifiers.map((each) => each.value)]
  const [searchText = ''] = await searchTexts([searchedTexts])
  return { identifiers, ...fieldColumns(orderFields, input), searchText, ...receiver }
}

type Invalid = 'invalid-body' | 'invalid-result'
type Receiver = OrderInput['receiver']

/** Pointer to the patient of an order. */
const PATIENT = '/receiver/patient'

/** The columns of a receiver. The patient is empty if the errors say that it is missing. */
function receiverColumns(receiver: Receiver, invalid: Invalid, errors: FieldErrors) {
  const [current, earlier] = [receiver.patient, receiver.clinicalRef].map(
    (url) => (url ?? null) && withoutTrailingSlash(url ?? '')
  )
  const references = { ...receiver, patient: current ?? null, clinicalRef: earlier ?? null }
  const patient = valueOfEither(references, 'patient', 'clinicalRef', invalid, errors)
  if (patient === undefined)
    errors.add(problem, invalid, PATIENT, {
      en: 'It is required.',
      da: 'Det skal udfyldes.'
    })
  const addressLine1 = valueOfEither(receiver, 'addressLine1', 'addressLine 1', invalid, errors)
  return {
    receiverName: receiver.name,
    ...fieldColumns(receiverFields, { ...receiver, addressLine1 }),
    patient: patient ?? ''
  }
}

/** The columns of the fields. A field that the input omits is null. */
const fieldColumns = <F extends Fields<{ column: keyof ContentColumns }>>(
  fields: F,
  input: { [K in keyof F]?: FieldValue<F[K]> | undefined }
) =>
  Object.fromEntries(Object.entries(fields).map(([name, { column }]) => [column, input[name] ?? null])) as {
    [K in keyof F as F[K]['column']]: FieldValue<F[K]>
  }

/** The value of a member that also has an earlier name. If both are sent, they must be equal. */
function valueOfEither(
  receiver: Receiver,
  name: 'addressLine1' | 'patient',
  earlier: 'addressLine 1' | 'clinicalRef',
  invalid: Invalid,
  errors: FieldErrors
): string | undefined {
  const [value, earlierValue] = [receiver[name] ?? undefined, receiver[earlier] ?? undefined]
  if (value !== undefined && earlierValue !== undefined && value !== earlierValue) {
    const pointer = `/receiver/${earlier}`
    errors.add(problem, invalid, pointer, {
      en: `It is the earlier name of ${name} and has another value. Send one of them.`,
      da: `Det er det tidligere navn for ${name} og har en anden værdi. Send ét af dem.`
    })
  }
  return value ?? earlierValue
}
