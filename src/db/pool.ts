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

/** Turns that are forgotten together. */
const forgotten = 1024

/**
 * Connections of which each does one thing at a time, a statement or a transaction; who finds none free waits in line. The driver's
 * own pool looks through a list that grows for as long as there is always something to do: after a million statements it
 * spends several times as long on each. Clients of one connection each have no such list. None is opened before it is needed.
 */
export function createPool(url: string, size: number, options: Options<Record<string, never>>): Pool {
  const clients = Array.from({ length: size }, () => postgres(url, { ...options, max: 1 }))
  const free = [...clients]
  let line: ((client: Sql) => void)[] = []
  let next = 0

  function handOn(client: Sql): void {
    const turn = line[next++]
    if (next >= forgotten || !turn) {
      line = line.slice(next)
      next = 0
    }
    if (turn) turn(client)
    else free.push(client)
  }

  async function withClient<T>(work: (client: Sql) => PromiseLike<T>): Promise<T> {
    const client = free.pop() ?? (await new Promise<Sql>((resolve) => line.push(resolve)))
    try {
      return await work(client)
    } finally {
      handOn(client)
    }
  }

  const client: Client = {
    options: (clients[0] as Sql).options,
    unsafe: (...text) => ({
      // biome-ignore lint/suspicious/noThenProperty: like the driver's, it is asked when it is awaited
      then: (done, failed) => withClient((each) => prepared(each, ...text)).then(done, failed),
      values: () => withClient((each) => prepared(each, ...text).values())
    }),
    begin: (run) => withClient((each) => each.begin((tx) => run(preparing(tx)))) as Promise<never>
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
