import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isClinicalReference } from '../clinical/reference.js'
import type { AuditSubject } from '../platform/auth/audit-context.js'
import { withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import { UsageError } from './command.js'

/**
 * Reads references to patients, in the stored form. `-` reads the next line of the input, because
 * arguments appear in the history of the shell and in lists of processes.
 * @throws UsageError if a reference is not the URL of a clinical Patient. The message does not
 * quote the reference.
 */
export async function readPatientReferences<const A extends readonly string[]>(
  args: A,
  input: Readable
): Promise<{ [K in keyof A]: string }> {
  const lines = args.includes('-') ? (await text(input)).trim().split(/\s*\n/) : []
  const urls = args.map((each) => withoutTrailingSlash((each === '-' ? (lines.shift() ?? '') : each).trim()))
  if (!urls.every((url) => isClinicalReference(url, 'Patient')))
    throw new UsageError('The patient must be the URL of a clinical Patient: https://<server>/Patient/<id>.')
  return urls as { [K in keyof A]: string }
}

/** The patient in each of these orders, or without an order, for the audit record. */
export const subjectsOf = (patient: string, orders: readonly string[]): AuditSubject[] =>
  (orders.length > 0 ? orders : [null]).map((order) => ({ patient, order }))
