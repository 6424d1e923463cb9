import { withoutTrailingSlash } from '../rest/resource-urls.js'
import type { Caller } from './actor.js'

/** A patient whose data a request reads or writes, and the order that they stand in; each null where there is none, or it is unknown. */
export interface AuditSubject {
  patient: string | null
  order: string | null
}

/** The call of an operation, as the audit record tells it. */
export interface AuditedCall {
  requestId: string
  /** `operationId` of the route. */
  operation: string
  /** FHIR's name for what it does. */
  interaction: Interaction
}

export type Interaction = 'read' | 'search-type' | 'create' | 'update' | 'patch' | 'delete'

/** What one request touches of patients' data, gathered on its way through the use cases, for its audit record. */
export class AuditContext {
  readonly #subjects = new Map<string, AuditSubject>()
  #recorded: Promise<boolean> = Promise.resolve(false)

  constructor(
    readonly call: AuditedCall,
    readonly caller: Caller
  ) {}

  /** Notes a patient, an order, or an order of a patient, which says more than each of the two alone. */
  addSubject(named: string | null, order: string | null = null): void {
    const patient = named && withoutTrailingSlash(named)
    if (patient === null || order === null) {
      const isKnown = (each: AuditSubject) =>
        order === null ? each.patient === patient : each.order === order
      if (this.subjects.some(isKnown)) return
    }
    for (const less of [`${patient} null`, `null ${order}`]) this.#subjects.delete(less)
    this.#subjects.set(`${patient} ${order}`, { patient, order })
  }

  addSubjects(subjects: readonly AuditSubject[] = []): void {
    for (const { patient, order } of subjects) this.addSubject(patient, order)
  }

  /** Whether the record was written together with what the request wrote; pending while a write is. */
  get recorded(): Promise<boolean> {
    return this.#recorded
  }

  /** Notes a write that holds the record, and that says by its result whether it took effect. */
  commitWith<T>(write: Promise<T>, isWritten: (result: T) => boolean): Promise<T> {
    this.#recorded = write.then(isWritten, () => false)
    return write
  }

  get subjects(): readonly AuditSubject[] {
    return [...this.#subjects.values()]
  }
}
