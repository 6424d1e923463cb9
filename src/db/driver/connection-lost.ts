const messages = {
  '08006': 'The connection to the database was lost. The statement has no effect.',
  '08007': 'The connection to the database was lost before the response. The statement may have taken effect.'
} as const

/**
 * A lost connection to PostgreSQL. `code` is the SQLSTATE that tells the state of the statement:
 * - `08006` (connection_failure): not sent, or its transaction was not committed. It can be
 *   repeated.
 * - `08007` (transaction_resolution_unknown): sent, no response. It may have taken effect.
 */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError'

  constructor(
    readonly code: keyof typeof messages,
    options?: ErrorOptions
  ) {
    super(messages[code], options)
  }
}
