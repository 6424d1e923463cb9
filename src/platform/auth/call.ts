import type { Deadline } from '../concurrency/deadline.js'
import type { Language } from '../errors/language.js'
import type { AuditContext } from './audit-context.js'
import type { Caller } from './caller.js'

/**
 * Which resources a caller can access on a route: all, those of its organization, those of its
 * buyers or sellers, or those of parties that its organization is or registered. Some clerks
 * administer all; `administered-buyer` is never widened.
 */
export type Scope = 'any' | 'own' | 'own-buyer' | 'own-seller' | 'administered' | 'administered-buyer'

/** A call of a route: who calls, with which scope, and what holds for this request. */
export interface Call {
  caller: Caller
  scope: Scope
  /** Whether the scope `administered` of any rule means everything for the caller. */
  administersAll?: boolean
  /** Collects the subjects of the audit record. */
  auditContext: AuditContext
  deadline: Deadline
  /** Language of the displays of codings. Undefined: those of the value sets. */
  language?: Language | undefined
  /** W3C trace context of the request, for its events. */
  traceparent?: string | undefined
  /** Of a POST with the header. Its unit of work stores the result. */
  idempotencyKey?: IdempotencyKey | undefined
  /** Revisions in `If-Match`: a write needs the resource to have one of them. */
  ifMatch?: ReadonlySet<string> | undefined
}

export interface IdempotencyKey {
  /** Hash of the caller and the key. */
  readonly id: Uint8Array
  /** Hash of the request, to recognize another one with the same key. */
  readonly request: Uint8Array
  /** Converts the result of the unit of work to what is stored, which must hold no patient data. */
  readonly toResult: (made: unknown) => object
}
