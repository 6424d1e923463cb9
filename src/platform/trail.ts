import type { Caller } from './actor.js'

/** A patient whose data a request reads or writes, and the order that they stand in; each null where there is none, or it is unknown. */
export interface Subject {
  patient: string | null
  order: string | null
}

/** The call of an operation, as the audit record tells it. */
export interface Call {
  requestId: string
  /** `operationId` of the route. */
  operation: string
  /** FHIR's name for what it does. */
  interaction: Interaction
}

export type Interaction = 'read' | 'search-type' | 'create' | 'update' | 'patch' | 'delete'

/** What one request touches of patients' data, gathered on its way through the use cases, for its audit record. */
export class Trail {
  /** Patients by the order that they stand in. */
  readonly #patients = new Map<string | null, Set<string | null>>()
  #recorded: Promise<boolean> = Promise.resolve(false)

  constructor(
    readonly call: Call,
    readonly caller: Caller
  ) {}

  /** Notes a patient, an order, or an order of a patient. */
  touch(patient: string | null, order: string | null = null): void {
    const known = this.#patients.get(order)
    if (known) known.add(patient)
    else this.#patients.set(order, new Set([patient]))
  }

  /** Whether the record was written together with what the request wrote; pending while a write is. */
  get recorded(): Promise<boolean> {
    return this.#recorded
  }

  /** Notes a write that holds the record, and that says by its result whether it took effect. */
  recordWith<T>(write: Promise<T>, isWritten: (result: T) => boolean): Promise<T> {
    this.#recorded = write.then(isWritten, () => false)
    return write
  }

  /** What was touched; an order of a patient says more than each of the two alone. */
  get subjects(): readonly Subject[] {
    const all = [...this.#patients].flatMap(([order, patients]) =>
      [...patients].map((patient): Subject => ({ patient, order }))
    )
    const pairs = all.filter(({ patient, order }) => patient !== null && order !== null)
    if (pairs.length === all.length) return pairs
    const patients = new Set(pairs.map(({ patient }) => patient))
    const orders = new Set(pairs.map(({ order }) => order))
    return all.filter(({ patient, order }) =>
      order === null ? !patients.has(patient) : patient !== null || !orders.has(order)
    )
  }
}
