import postgres, { type Sql } from 'postgres'

type Parameter = string | number | boolean | null

interface Connection {
  sql: Sql
  pending: number
}

/**
 * A few connections, each a client of its own, of which the least busy one is asked: the queue of a client with several connections
 * slows down as it lives. Statements are prepared.
 */
export function openClients(url: string, count: number) {
  const connections = Array.from({ length: count }, (): Connection => {
    const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'bare' } })
    return { sql, pending: 0 }
  })
  return {
    async query<Row>(text: string, parameters: Parameter[]): Promise<Row[]> {
      let least = connections[0] as Connection
      for (const each of connections) if (each.pending < least.pending) least = each
      least.pending++
      try {
        return (await least.sql.unsafe(text, parameters, { prepare: true })) as unknown as Row[]
      } finally {
        least.pending--
      }
    },
    close: () => Promise.all(connections.map(({ sql }) => sql.end({ timeout: 5 })))
  }
}
export type Clients = ReturnType<typeof openClients>
