const messages = {
  '08006': 'The connection to the database was lost. The statement has no effect.',
  '08007': 'The connection to the database was lost before the response. The statement may have taken effect.'
} as const

/**
 * A lost connection to PostgreSQL. `code` is the SQLSTATE with the state of the statement:
 * - `08006` (connection_failure): not sent, or its transaction was not committed. The statement can
 *   be repeated.
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

/**
 * No host of the database URL could be connected to and accepts writes. Nothing was sent. `code` is
 * the SQLSTATE sqlclient_unable_to_establish_sqlconnection.
 */
export class NoWritableHostError extends Error {
  override readonly name = 'NoWritableHostError'
  readonly code = '08001'

  /** @param reasons why each host cannot be used, such as `h1:5432: read-only`. */
  constructor(reasons: readonly string[], options?: ErrorOptions) {
    super(
      `No host of DATABASE_URL accepts writes.\n${reasons.map((reason) => `  ${reason}`).join('\n')}`,
      options
    )
  }
}
