import { loadParties } from '../../agreement/lookup.js'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import type { OrderChange } from '../change.js'
import { orderLineResource } from '../model/resources.js'
import { findOrderabilityErrors } from '../orderable.js'
import type { OrderPatch } from './steps.js'

const isSubmission = ({ order, snapshot }: OrderChange) =>
  order.status === 'SUBMITTED' && snapshot.order.status !== 'SUBMITTED'

/**
 * Checks that a submitted order can be ordered today. Returns the errors of its parties and lines.
 */
export async function checkOrderable({ ports, change }: OrderPatch): Promise<FieldErrors> {
  const errors = new FieldErrors()
  if (!isSubmission(change)) return errors
  for (const error of await findOrderabilityErrors(ports, change.call, change.order, change.lines)) {
    const url = error.line && ports.resourceUrls.url(orderLineResource, error.line.id)
    errors.add(error.problemAt('/status', url ? { resource: { url, pointer: `/${error.member}` } } : {}))
  }
  return errors
}

/**
 * Checks with the clinical backend that a new patient exists, and that the patient of a submitted
 * order has consented to orders from the seller. A request checks a consent only once, so that
 * retries after concurrent changes cannot delay it until its deadline.
 * @throws Problem `dangling-reference`, `no-consent`, `clinical-backend-unavailable`.
 */
export async function checkPatient({ ports, change, consents }: OrderPatch): Promise<undefined> {
  const { call, order, snapshot } = change
  const pointer = '/receiver/patient'
  const { patient, sellerId } = order
  if (patient !== snapshot.order.patient) await ports.clinical.assertExists(call, 'Patient', patient, pointer)
  const consent = `${patient} ${sellerId}`
  if (!isSubmission(change) || consents.has(consent)) return
  const isStored = sellerId === snapshot.order.sellerId
  const [seller] = isStored ? [snapshot.seller] : await loadParties(ports.db, [sellerId])
  await ports.clinical.assertConsent(call, patient, seller?.organization ?? '', pointer)
  consents.add(consent)
}
