import { loadParties } from '../../agreement/lookup.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import type { OrderChange } from '../change/change-order.js'

const pointer = '/receiver/patient'

/**
 * Returns the check of a change with the clinical backend: a new patient must exist, and a
 * submission needs the patient's consent to orders from the seller. It is the last step of a
 * change, after all local checks. Consent is requested once per request, so that concurrent changes
 * of the order, which cause retries, cannot starve a request while the backend is slow.
 */
export function patientCheck({ clinical, db }: Pick<Ports, 'clinical' | 'db'>, call: Call) {
  let consented: string | undefined
  /** @throws Problem `dangling-reference`, `no-consent`, `clinical-backend-unavailable`. */
  return async ({ order, snapshot }: OrderChange): Promise<void> => {
    const { patient } = order
    if (patient !== snapshot.order.patient) await clinical.assertExists(call, 'Patient', patient, pointer)
    const isSubmitted = order.status === 'SUBMITTED' && snapshot.order.status !== 'SUBMITTED'
    const consent = `${patient} ${order.sellerId}`
    if (!isSubmitted || consent === consented) return
    const [seller] =
      order.sellerId === snapshot.order.sellerId ? [snapshot.seller] : await loadParties(db, [order.sellerId])
    await clinical.assertConsent(call, patient, seller?.organization ?? '', pointer)
    consented = consent
  }
}
