import { fieldProblem, problem } from '../platform/errors/problem.js'
import { dateFormatterOf } from '../platform/util/date-in-time-zone.js'
import type { Asker, BackendOptions } from './backend.js'
import { clinicalProblem } from './problems.js'
import { type ClinicalType, clinicalId, isClinicalReference } from './reference.js'

/** What is asked of the clinical FHIR backend. Ask it last, and in no transaction: it may take seconds. */
export interface Clinical {
  /** Whether a text is a reference to a clinical resource of this type that may be kept, judged by its form. */
  isReference(text: string, type: ClinicalType): boolean
  /**
   * Makes sure that a resource that is to be referred to is there, as far as the caller may see.
   * @throws Problem `dangling-reference` at the pointer, `clinical-backend-unavailable`.
   */
  assertThere(actor: Asker, type: ClinicalType, url: string, pointer: string): Promise<void>
  /**
   * Makes sure that a patient has given the consent that is asked for, if one is.
   * @throws Problem `no-consent` at the pointer, `clinical-backend-unavailable`.
   */
  assertConsent(actor: Asker, patient: string, pointer: string): Promise<void>
}

export interface ClinicalOptions extends BackendOptions {
  /** Base of the backend's addresses; without it references are judged by their form alone. */
  url: string | undefined
  /** Whether a patient must have given consent to an order. */
  requireConsent: boolean
  timeZone: string
}

/** Opens the way to the clinical backend; `close` gives it back. What asks it is read only where there is one. */
export async function createClinical({
  url: base,
  requireConsent,
  timeZone,
  ...options
}: ClinicalOptions): Promise<{ clinical: Clinical; close: () => Promise<void> }> {
  if (base === undefined) return { clinical: byForm, close: async () => {} }
  const [{ openBackend }, { createReferenceCheck }, { createConsentCheck }] = await Promise.all([
    import('./backend.js'),
    import('./reference-exists.js'),
    import('./consent.js')
  ])
  const backend = openBackend(base, options)
  const isThere = createReferenceCheck(backend)
  const hasConsent = createConsentCheck(backend)
  const dateOf = dateFormatterOf(timeZone)

  const clinical: Clinical = {
    isReference: (text, type) => isClinicalReference(text, type, base),

    async assertThere(actor, type, url, pointer) {
      const id = clinicalId(url, type, base)
      if (id === undefined || !(await isThere(actor, type, id)))
        throw fieldProblem(problem, 'dangling-reference', pointer, notClinical(type))
    },

    async assertConsent(actor, patient, pointer) {
      if (!requireConsent) return
      const id = clinicalId(patient, 'Patient', base)
      const moment = new Date()
      const now = { moment, date: dateOf(moment) }
      if (id === undefined || !(await hasConsent(actor, id, now)))
        throw fieldProblem(
          clinicalProblem,
          'no-consent',
          pointer,
          'The patient needs an active consent that is in force, and that you may see.'
        )
    }
  }
  return { clinical, close: () => backend.close() }
}

/** What is said of a reference that cannot be used; alike for every reason, since nobody is to learn which it was. */
export const notClinical = (type: ClinicalType) => `It must be the URL of a clinical ${type}.`

const byForm: Clinical = {
  isReference: (text, type) => isClinicalReference(text, type),
  assertThere: async () => {},
  assertConsent: async () => {}
}
