import postgres, { type Options, type Sql, type TransactionSql } from 'postgres'

type Text = [text: string, parameters?: readonly unknown[]]
type Rows = ReturnType<Sql['unsafe']>

/** What Drizzle asks of a client of the driver. */
export interface Client {
  options: Sql['options']
  unsafe(...text: Text): PromiseLike<Awaited<Rows>> & { values(): Promise<unknown> }
  begin<T>(run: (tx: TransactionSql) => Promise<T>): Promise<T>
}

export interface Pool {
  client: Client
  /** The driver's own clients. */
  clients: readonly Sql[]
}

/** Statements that a connection takes while others are under way on it: more at a time cost fewer writes to its socket. */
const depth = 4

interface Connection {
  sql: Sql
  /** Statements under way; a transaction counts as all that it takes. */
  busy: number
}

interface Turn {
  weight: number
  take: (connection: Connection) => void
}

/** Turns that are forgotten together. */
const forgotten = 1024

/**
 * Connections of which each does a few statements, one after the other, or one transaction; who finds room on none waits in line.
 * The driver's own pool looks through a list that grows for as long as there is always something to do: after a million
 * statements it spends several times as long on each. Clients of one connection each have no such list. None is opened before it
 * is needed.
 */
export function createPool(url: string, size: number, options: Options<Record<string, never>>): Pool {
  const connections = Array.from(
    { length: size },
    (): Connection => ({ sql: postgres(url, { ...options, max: 1 }), busy: 0 })
  )
  const clients = connections.map(({ sql }) => sql)
  let line: Turn[] = []
  let next = 0

  /** The connection with the least under way, if it has room. */
  function withRoom(weight: number): Connection | undefined {
    let least = connections[0] as Connection
    for (const each of connections) if (each.busy < least.busy) least = each
    if (least.busy + weight > depth) return undefined
    least.busy += weight
    return least
  }

  function giveBack(connection: Connection, weight: number): void {
    connection.busy -= weight
    for (let turn = line[next]; turn; turn = line[next]) {
      const free = withRoom(turn.weight)
      if (!free) break
      next++
      turn.take(free)
    }
    if (next >= forgotten || next === line.length) {
      line = line.slice(next)
      next = 0
    }
  }

  async function withConnection<T>(weight: number, work: (client: Sql) => PromiseLike<T>): Promise<T> {
    const isFirst = next === line.length
    const connection =
      (isFirst ? withRoom(weight) : undefined) ??
      (await new Promise<Connection>((take) => line.push({ weight, take })))
    try {
      return await work(connection.sql)
    } finally {
      giveBack(connection, weight)
    }
  }

  const client: Client = {
    options: (clients[0] as Sql).options,
    unsafe: (...text) => ({
      // biome-ignore lint/suspicious/noThenProperty: like the driver's, it is asked when it is awaited
      then: (done, failed) => withConnection(1, (each) => prepared(each, ...text)).then(done, failed),
      values: () => withConnection(1, (each) => prepared(each, ...text).values())
    }),
    begin: (run) => withConnection(depth, (each) => each.begin((tx) => run(preparing(tx)))) as Promise<never>
  }
  return { client, clients }
}

/** Every statement is a prepared one: PostgreSQL would parse and plan it anew each time. */
const prepared = (client: Sql | TransactionSql, ...[text, parameters = []]: Text): Rows =>
  client.unsafe(text, parameters as never[], { prepare: true })

/** Makes the statements of a transaction prepared ones, where Drizzle sends them unprepared. */
function preparing(tx: TransactionSql): TransactionSql {
  return new Proxy(tx, {
    get(target, name) {
      if (name === 'unsafe') return (...text: Text) => prepared(target, ...text)
      if (name === 'savepoint')
        return (run: (tx: TransactionSql) => never) => target.savepoint((inner) => run(preparing(inner)))
      return Reflect.get(target, name)
    }
  })
}
