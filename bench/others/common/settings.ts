/** How a server is set up, from the environment. */
export const settings = {
  databaseUrl: process.env.DATABASE_URL ?? '',
  /** Connections to the database at most. */
  pool: 10,
  port: Number(process.env.PORT ?? 3000),
  host: '127.0.0.1',
  /** Bytes of a JSON body. */
  bodyLimit: 10_485_760,
  /** Media types of JSON bodies. */
  jsonTypes: ['application/json', 'application/json-patch+json'],
  /** Entries of a page of a list. */
  pageLimit: 1000
}

/** Origin of all addresses that are answered. */
export const origin = process.env.PUBLIC_URL ?? `http://${settings.host}:${settings.port}`
