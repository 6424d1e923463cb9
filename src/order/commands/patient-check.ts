import type { Actor } from '../../platform/auth/actor.js'
import type { Ports } from '../../ports.js'
import type { OrderChange } from '../change/change-order.js'

const pointer = '/receiver/patient'

/**
 * What the clinical backend must say of the patient when an order gets another one, and when it is submitted. It is the last step of
 * a change: everything that is known here was checked before. Consent is asked for once in a request, so that others who change the
 * order all the time cannot keep a slow answer from ever taking effect.
 */
export function patientCheck({ clinical }: Pick<Ports, 'clinical'>, actor: Actor) {
  let consenting: string | undefined
  /** @throws Problem `dangling-reference`, `no-consent`, `clinical-backend-unavailable`. */
  return async ({ order, snapshot }: OrderChange): Promise<void> => {
    const { patient } = order
    if (patient !== snapshot.order.patient) await clinical.assertExists(actor, 'Patient', patient, pointer)
    const isSubmitted = order.status === 'SUBMITTED' && snapshot.order.status !== 'SUBMITTED'
    if (!isSubmitted || patient === consenting) return
    await clinical.assertConsent(actor, patient, pointer)
    consenting = patient
  }
}
