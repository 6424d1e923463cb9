import { dateFormatterOf } from '../platform/dates/calendar-date.js'
import type { BackendCall, BackendOptions, ClinicalBackend } from './backend.js'
import { type ClinicalType, clinicalId, invalidClinicalReference, isClinicalReference } from './reference.js'
import { clinicalProblem } from './texts.js'

/**
 * Checks against the clinical FHIR backend. Run them after all other checks and never inside a
 * transaction: they may take seconds.
 */
export interface Clinical {
  /**
   * Whether a text is a well-formed reference to a clinical resource of this type. Sends no
   * request.
   */
  isReference(text: string, type: ClinicalType): boolean
  /**
   * Asserts that the resource exists and is visible to the caller.
   * @throws Problem `dangling-reference` at the pointer, `clinical-backend-unavailable`.
   */
  assertExists(call: BackendCall, type: ClinicalType, url: string, pointer: string): Promise<void>
  /**
   * Asserts that the patient has given consent to orders from this organization, if the settings
   * require it.
   * @throws Problem `no-consent` at the pointer, `clinical-backend-unavailable`.
   */
  assertConsent(call: BackendCall, patient: string, seller: string, pointer: string): Promise<void>
}

export interface ClinicalOptions extends BackendOptions {
  /** Base URL of the backend. Without a backend only the form of references is checked. */
  url: string | undefined
  /** Whether orders need the patient's consent. */
  requireConsent: boolean
  /** Whether a consent that names actors must name the seller. */
  consentActor: 'seller' | 'ignore'
  timeZone: string
}

/** Creates the checks. The modules that call the backend are loaded only if one is configured. */
export async function createClinicalChecks({
  url: base,
  requireConsent,
  consentActor,
  timeZone,
  ...options
}: ClinicalOptions): Promise<{ clinical: Clinical; backend?: ClinicalBackend }> {
  if (base === undefined) return { clinical: withoutBackend }
  const [{ createClinicalBackendClient }, { createReferenceCheck }, { createConsentCheck }] =
    await Promise.all([import('./backend.js'), import('./reference-exists.js'), import('./consent.js')])
  const backend = createClinicalBackendClient(base, options)
  const referenceExists = createReferenceCheck(backend)
  const findConsent = createConsentCheck(backend)
  const dateOf = dateFormatterOf(timeZone)

  const clinical: Clinical = {
    isReference: (text, type) => isClinicalReference(text, type, base),

    async assertExists(call, type, url, pointer) {
      const id = clinicalId(url, type, base)
      if (id === undefined || !(await referenceExists(call, type, id)))
        throw invalidClinicalReference(type, pointer)
    },

    async assertConsent(call, patient, seller, pointer) {
      if (!requireConsent) return
      const id = clinicalId(patient, 'Patient', base)
      const instant = new Date()
      const now = { instant, date: dateOf(instant) }
      const actor = consentActor === 'ignore' ? undefined : seller
      const found = id === undefined ? 'none' : await findConsent(call, id, actor, now)
      if (found !== 'given')
        throw clinicalProblem(found === 'none' ? 'no-consent.none' : 'no-consent.otherActor', pointer)
    }
  }
  return { clinical, backend }
}

const withoutBackend: Clinical = {
  isReference: (text, type) => isClinicalReference(text, type),
  assertExists: async () => {},
  assertConsent: async () => {}
}
