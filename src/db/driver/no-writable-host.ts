/**
 * No host of the database URL could be connected to and accepts writes. Nothing was sent. `code` is
 * the SQLSTATE sqlclient_unable_to_establish_sqlconnection.
 */
export class NoWritableHostError extends Error {
  override readonly name = 'NoWritableHostError'
  readonly code = '08001'

  /** @param reasons for each host why not, such as `h1:5432: read-only`. */
  constructor(reasons: readonly string[], options?: ErrorOptions) {
    super(
      `No host of DATABASE_URL accepts writes.\n${reasons.map((reason) => `  ${reason}`).join('\n')}`,
      options
    )
  }
}
