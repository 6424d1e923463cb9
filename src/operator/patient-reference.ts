import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isClinicalReference } from '../clinical/reference.js'
import { withoutTrailingSlash } from '../platform/rest/resource-urls.js'

/** A patient as an operator names it, and as the tables may hold it. */
export interface PatientReference {
  /** URL of the clinical Patient, without a slash at its end. */
  url: string
  /** The URL without and with a slash at its end. */
  stored: string[]
}

/**
 * Reads a reference to a patient. `-` reads it from the input: arguments are in the
 * history of the shell and in lists of processes.
 * @throws Error if it is not the URL of a clinical Patient. The message does not repeat it.
 */
export async function readPatientReference(argument: string, input: Readable): Promise<PatientReference> {
  const url = withoutTrailingSlash((argument === '-' ? await text(input) : argument).trim())
  if (!isClinicalReference(url, 'Patient'))
    throw new Error('The patient must be the URL of a clinical Patient: https://<server>/Patient/<id>.')
  return { url, stored: [url, `${url}/`] }
}
