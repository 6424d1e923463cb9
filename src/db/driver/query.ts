import type { Sql } from 'postgres'

/** What is asked of a client of the driver. */
export type Asked = Pick<Sql, 'unsafe'>

/** Asks a client of the driver. */
export type Ask = <T>(work: (client: Asked) => PromiseLike<T>) => Promise<T>

type Text = [text: string, parameters?: readonly unknown[]]

/** A row as PostgreSQL sent it: the bytes of each column's text in their order, null where there is none. */
export type RawRow = readonly (Buffer | null)[]

/** A statement that is sent when it is awaited, or asked for the values of its rows alone: so Drizzle uses it. */
export interface PendingQuery extends PromiseLike<Awaited<ReturnType<Sql['unsafe']>>> {
  values(): Promise<unknown>
  raw(): Promise<readonly RawRow[]>
}

/** What sends statements: the database, or a transaction. */
export interface Sender {
  unsafe(...text: Text): PendingQuery
}

/** What Drizzle asks of a client of the driver. */
export interface Client extends Sender {
  /** Drizzle says here how it wants values; each session knows that by itself. */
  options: { parsers: object; serializers: object }
  begin<T>(run: (tx: Sender) => Promise<T>): Promise<T>
  /** Waits for what was asked, for five seconds at most, and closes what is open. */
  end(): Promise<void>
}

/** Every statement is a prepared one: PostgreSQL would parse and plan it anew each time. */
export function createQuery(ask: Ask, [text, parameters = []]: Text): PendingQuery {
  const send = (client: Asked) => client.unsafe(text, parameters as never[], { prepare: true })
  return {
    // biome-ignore lint/suspicious/noThenProperty: like the driver's, it is asked when it is awaited
    then: (done, failed) => ask(send).then(done, failed),
    values: () => ask((client) => send(client).values()),
    raw: () => ask((client) => send(client).raw())
  }
}
