import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isClinicalReference } from '../clinical/reference.js'
import type { AuditSubject } from '../platform/auth/audit-context.js'
import { withoutTrailingSlash } from '../platform/urls/resource-urls.js'

/**
 * Reads a reference to a patient, in the stored form. `-` reads it from the input: arguments are
 * in the history of the shell and in lists of processes.
 * @throws Error if it is not the URL of a clinical Patient. The message does not repeat it.
 */
export async function readPatientReference(argument: string, input: Readable): Promise<string> {
  const url = withoutTrailingSlash((argument === '-' ? await text(input) : argument).trim())
  if (!isClinicalReference(url, 'Patient'))
    throw new Error('The patient must be the URL of a clinical Patient: https://<server>/Patient/<id>.')
  return url
}

/** The patient in each of these orders, or in none, for the audit record. */
export const subjectsOf = (patient: string, orders: readonly string[]): AuditSubject[] =>
  (orders.length > 0 ? orders : [null]).map((order) => ({ patient, order }))
