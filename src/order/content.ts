import { resolveParties } from '../agreement/lookup.js'
import { partyResource } from '../agreement/resources.js'
import { invalidClinicalReference } from '../clinical/reference.js'
import type { Call } from '../platform/auth/call.js'
import type { FieldErrors } from '../platform/errors/field-errors.js'
import type { Fields, FieldValue } from '../platform/schemas/fields.js'
import { identifiersOf } from '../platform/text/numbers.js'
import { searchTexts } from '../platform/text/search-text.js'
import type { Ports } from '../ports.js'
import { orderFields, receiverFields } from './model/order.fields.js'
import type { OrderInput } from './model/order.schemas.js'
import type { ReferencePaths } from './references.js'
import type { OrderRow } from './store/tables.js'
import { orderProblem } from './texts.js'

/** The members of an order that have no rule of their own. */
export type OrderContent = Pick<
  OrderInput,
  'identifiers' | 'buyer' | 'seller' | 'receiver' | keyof typeof orderFields
>

export const orderReferences: ReferencePaths = {
  '/buyer': partyResource,
  '/seller': partyResource,
  '/receiver/patient': 'patient',
  '/receiver/clinicalRef': 'patient'
}

/** The error code for a receiver that contradicts itself. */
type Invalid = 'invalid-body' | 'invalid-result'

/**
 * Converts the content of an order to columns. The buyer must belong to the caller's organization.
 * Adds `dangling-reference`, `wrong-role`, `invalid-period` and `invalid-body` or `invalid-result`.
 * With an error the result is unusable. Does not check that the patient exists: the clinical
 * backend may be slow, so callers ask it last.
 * @param currentPatient the patient of the order so far. This patient stays valid even if the URL
 * belongs to an earlier address of the clinical backend.
 */
export async function resolveOrderContent(
  ports: Ports,
  call: Call,
  errors: FieldErrors,
  input: OrderContent,
  invalid: Invalid,
  currentPatient?: string
) {
  const receiver = receiverColumns(input.receiver, invalid, errors)
  const { patient } = receiver
  call.auditContext.addSubject(patient)
  const [buyer, seller] = await resolveParties(ports, call, errors, [
    { pointer: '/buyer', url: input.buyer, role: 'BUYER', scope: 'own' },
    { pointer: '/seller', url: input.seller, role: 'SELLER' }
  ])
  if (patient !== currentPatient && !ports.clinical.isReference(patient, 'Patient'))
    errors.add(invalidClinicalReference('Patient', '/receiver/patient'))
  checkWish(input, errors)
  const columns = await plainColumns(input, receiver)
  return { buyer, seller, columns: { ...columns, buyerId: buyer?.id ?? '', sellerId: seller?.id ?? '' } }
}

/**
 * Converts the content of an order, without its parties, to columns. No reference in this content
 * may change after the draft. Adds `invalid-period` and `invalid-result`.
 */
export function resolveLateContent(errors: FieldErrors, input: OrderContent) {
  const receiver = receiverColumns(input.receiver, 'invalid-result', errors)
  checkWish(input, errors)
  return plainColumns(input, receiver)
}

function checkWish(input: OrderContent, errors: FieldErrors): void {
  const { earliestDeliveryDate: earliest, latestDeliveryDate: latest } = input
  if (earliest && latest && earliest > latest)
    errors.add(orderProblem('invalid-period.wishEndsBeforeStart', '/latestDeliveryDate'))
}

async function plainColumns(input: OrderContent, receiver: ReturnType<typeof receiverColumns>) {
  const identifiers = identifiersOf(input.identifiers)
  const { receiverName, receiverPatientName } = receiver
  const searchedTexts = [
    input.name,
    receiverName,
    receiverPatientName,
    ...identifiers.map(({ value }) => value)
  ]
  const [searchText = ''] = await searchTexts([searchedTexts])
  return { identifiers, ...fieldColumns(orderFields, input), searchText, ...receiver }
}

/** The columns of a receiver, whose schema requires a patient under its current or earlier name. */
function receiverColumns(receiver: OrderInput['receiver'], invalid: Invalid, errors: FieldErrors) {
  /** The value of a member that also has an earlier name. Values under both names must be equal. */
  const either = (name: 'addressLine1' | 'patient', earlier: 'addressLine 1' | 'clinicalRef') => {
    const [value, earlierValue] = [receiver[name] ?? undefined, receiver[earlier] ?? undefined]
    if (value !== undefined && earlierValue !== undefined && value !== earlierValue)
      errors.add(orderProblem(`${invalid}.earlierName`, `/receiver/${earlier}`, { name }))
    return value ?? earlierValue
  }
  const patient = either('patient', 'clinicalRef') ?? ''
  const addressLine1 = either('addressLine1', 'addressLine 1')
  return {
    receiverName: receiver.name,
    ...fieldColumns(receiverFields, { ...receiver, addressLine1 }),
    patient
  }
}

/** The columns of the fields. A field that the input omits is null. */
const fieldColumns = <F extends Fields<{ column: keyof OrderRow }>>(
  fields: F,
  input: { [K in keyof F]?: FieldValue<F[K]> | undefined }
) =>
  Object.fromEntries(Object.entries(fields).map(([name, { column }]) => [column, input[name] ?? null])) as {
    [K in keyof F as F[K]['column']]: FieldValue<F[K]>
  }
