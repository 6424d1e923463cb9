import type { Deadline } from '../concurrency/deadline.js'
import type { Language } from '../errors/language.js'
import type { AuditContext } from './audit-context.js'
import type { Caller } from './caller.js'

/**
 * The resources that a caller can access on a route: all, or those of its organization, of its
 * buyers or sellers, or of the parties that its organization has or registered. Some clerks
 * administer all parties; `administered-buyer` is never widened.
 */
export type Scope = 'any' | 'own' | 'own-buyer' | 'own-seller' | 'administered' | 'administered-buyer'

/** A call of a route: the caller, its scope, and the properties of this request. */
export interface Call {
  caller: Caller
  scope: Scope
  /** Whether the scope `administered` of any rule includes everything for the caller. */
  administersAll?: boolean
  /** Collects the subjects of the audit record. */
  auditContext: AuditContext
  deadline: Deadline
  /** Language of the displays of codings. Undefined: the displays of the value sets. */
  language?: Language | undefined
  /** W3C trace context of the request, for its events. */
  traceparent?: string | undefined
  /** The key of a POST with the header, whose unit of work stores the result. */
  idempotencyKey?: IdempotencyKey | undefined
  /** Revisions in `If-Match`. A write requires that the resource has one of these revisions. */
  ifMatch?: ReadonlySet<string> | undefined
}

export interface IdempotencyKey {
  /** Hash of the caller and the key. */
  readonly id: Uint8Array
  /** Hash of the request, to detect another request with the same key. */
  readonly request: Uint8Array
  /**
   * Converts the result of the unit of work to the stored result, which must not contain patient
   * data.
   */
  readonly toResult: (made: unknown) => object
}
