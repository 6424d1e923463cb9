import { openConnection, type PooledConnection, type PooledConnectionOptions } from './connection.js'
import { type Client, createQuery } from './query.js'

export interface PoolOptions extends PooledConnectionOptions {
  /** Milliseconds after which a session that is not used is closed, at twice as many for certain. */
  idle?: number
}

/** Statements that a connection takes while others are under way on it: more at a time cost fewer writes to its socket. */
const depth = 4

/** Room for one session. */
interface Place {
  session: PooledConnection | undefined
  /** Statements under way; a transaction counts as all that it takes. */
  busy: number
  wasUsed: boolean
}

/** Room that was found: what is asked then goes to this session, whatever becomes of its place. */
interface Room {
  place: Place
  session: PooledConnection
}

interface Turn {
  weight: number
  take: (room: Room) => void
}

/** Turns that are forgotten together. */
const forgotten = 1024

/**
 * Connections of which each does a few statements, one after the other, or one transaction; who finds room on none waits in line.
 * The driver's own pool looks through a list that grows for as long as there is always something to do: after a million
 * statements it spends several times as long on each. Clients of one connection each have no such list. None is opened before it
 * is needed.
 */
export function createPool(url: string, size: number, { idle = 60_000, ...options }: PoolOptions): Client {
  const places = Array.from({ length: size }, (): Place => ({ session: undefined, busy: 0, wasUsed: false }))
  const closing = setInterval(closeIdle, idle).unref()
  let isEnded = false
  let line: Turn[] = []
  let next = 0

  /** Room at the place with the least under way. A session that is done is left when nothing is under way any more. */
  function withRoom(weight: number): Room | undefined {
    let least: Place | undefined
    for (const each of places) {
      if (each.busy === 0 && isDone(each)) void renew(each)
      if (each.busy < (least?.busy ?? depth) && !isDone(each)) least = each
    }
    if (!least || least.busy + weight > depth) return undefined
    least.busy += weight
    least.wasUsed = true
    least.session ??= openConnection(url, options)
    return { place: least, session: least.session }
  }

  /** Closes a session before another is opened in its place: there are never more than so many. */
  async function renew(place: Place): Promise<void> {
    place.busy = depth
    await leave(place)
    giveBack(place, depth)
  }

  function giveBack(place: Place, weight: number): void {
    place.busy -= weight
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

  async function withSession<T>(
    weight: number,
    work: (session: PooledConnection) => PromiseLike<T>
  ): Promise<T> {
    const isFirst = next === line.length
    const { place, session } =
      (isFirst ? withRoom(weight) : undefined) ??
      (await new Promise<Room>((take) => line.push({ weight, take })))
    try {
      if (isEnded) throw Object.assign(new Error('The pool is closed.'), { code: 'CONNECTION_ENDED' })
      return await work(session)
    } finally {
      giveBack(place, weight)
    }
  }

  function closeIdle(): void {
    for (const place of places) {
      if (place.busy === 0 && !place.wasUsed) void leave(place)
      place.wasUsed = false
    }
  }

  return {
    options: { parsers: {}, serializers: {} },
    unsafe: (...text) => createQuery((ask) => withSession(1, (session) => session.ask(ask)), text),
    begin: (run) => withSession(depth, (session) => session.begin(run)),
    async end() {
      isEnded = true
      clearInterval(closing)
      await Promise.all(places.map(leave))
    }
  }
}

const isDone = ({ session }: Place) => session !== undefined && (session.isOver || session.isFull)

async function leave(place: Place): Promise<void> {
  const { session } = place
  place.session = undefined
  await session?.end()
}
