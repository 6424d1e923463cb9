/** The `Idempotency-Key` of a request, reserved for one run of it. */
export interface KeyReservation {
  /** Hash of the caller and the key. */
  readonly id: Uint8Array
  /** Identifies the run. */
  readonly run: string
  /**
   * Converts the result of the unit of work to what is stored for repeats. It must hold no patient
   * data.
   */
  readonly toResult: (made: unknown) => object
  /** Whether the unit of work has stored the result. Its commit may still fail. */
  isSaved: boolean
}
