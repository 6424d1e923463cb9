import { type ClinicalType, isClinicalReference } from './reference.js'

/** What is asked of the clinical FHIR backend. */
export interface Clinical {
  /** Whether a text is a reference to a clinical resource of this type that may be kept. */
  isReference(text: string, type: ClinicalType): boolean
}

/** Judges clinical references by their form and, where the backend's address is known, by lying under it. */
export function createClinical(url: string | undefined): Clinical {
  return { isReference: (text, type) => isClinicalReference(text, type, url) }
}
