import { withoutTrailingSlash } from '../urls/resource-urls.js'
import type { Caller } from './caller.js'

/** A patient and order that a request reads or writes. Null when there is none or it is unknown. */
export interface AuditSubject {
  patient: string | null
  order: string | null
}

export interface AuditedCall {
  requestId: string
  operation: string
  interaction: Interaction
}

export type Interaction = 'read' | 'search-type' | 'create' | 'update' | 'patch' | 'delete'

/** Collects the patients and orders of one request for its audit record. */
export class AuditContext {
  readonly #subjects = new Map<string, AuditSubject>()
  readonly #patients = new Set<string | null>()
  readonly #orders = new Set<string | null>()
  #recorded: Promise<boolean> | undefined

  constructor(
    readonly call: AuditedCall,
    readonly caller: Caller
  ) {}

  /**
   * Adds a patient, an order, or an order of a patient, which replaces separate entries of both.
   */
  addSubject(patientUrl: string | null, order: string | null = null): void {
    const patient = patientUrl && withoutTrailingSlash(patientUrl)
    if (order === null ? this.#patients.has(patient) : patient === null && this.#orders.has(order)) return
    if (this.#patients.has(patient)) this.#subjects.delete(`${patient} null`)
    if (this.#orders.has(order)) this.#subjects.delete(`null ${order}`)
    this.#subjects.set(`${patient} ${order}`, { patient, order })
    this.#patients.add(patient)
    this.#orders.add(order)
  }

  addSubjects(subjects: readonly AuditSubject[] = []): void {
    for (const { patient, order } of subjects) this.addSubject(patient, order)
  }

  /**
   * Whether a write or read also committed the record; pending until then. Undefined: none does.
   */
  get recorded(): Promise<boolean> | undefined {
    return this.#recorded
  }

  /** Registers work that may also commit the audit record, according to its result. */
  commitWith<T>(work: Promise<T>, isRecorded: (result: T) => boolean): Promise<T> {
    this.#recorded = work.then(isRecorded, () => false)
    return work
  }

  get subjects(): readonly AuditSubject[] {
    return [...this.#subjects.values()]
  }
}
