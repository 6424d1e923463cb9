const messages = {
  '08006': 'The connection to the database was lost. The statement has no effect.',
  '08007': 'The connection to the database was lost before the response. The statement may have taken effect.'
} as const

/**
 * A lost connection to PostgreSQL. The statement had no effect (`08006`, it can be repeated), or
 * may have taken effect (`08007`).
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

/** No host is reachable and accepts writes. The code is that of PostgreSQL's clients. */
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
