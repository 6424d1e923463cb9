import { type Client, type Pending, pending, type Text } from './pending.js'
import { openSession, type Session, type SessionOptions } from './session.js'

export interface PoolOptions extends SessionOptions {
  /** Milliseconds after which a session that is not used is closed, at twice as many for certain. */
  idle?: number
}

/** A client of as many connections as it needs. */
export interface Pool extends Client {
  /** Sends a statement that reads a few rows by their keys. A write is not brief: its commit waits for the disk. */
  brief(...text: Text): Pending
}

/** Statements that a connection takes while others are under way on it: more at a time cost fewer writes to its socket. */
const depth = 4

/** Brief statements that go on one connection before another is woken for them. */
const together = 8

/** What room is needed for. */
interface Need {
  /** Statements that it counts as. */
  weight: number
  isBrief: boolean
}

const statement: Need = { weight: 1, isBrief: false }
const brief: Need = { weight: 1, isBrief: true }
const transaction: Need = { weight: depth, isBrief: false }

/** Room for one session. */
interface Place {
  session: Session | undefined
  /** Statements under way; a transaction counts as all that it takes. */
  busy: number
  /** How many of them are brief. */
  brief: number
  wasUsed: boolean
}

interface Turn {
  need: Need
  take: (place: Place) => void
}

/** Turns that are forgotten together. */
const forgotten = 1024

/**
 * Connections of which each does a few statements, one after the other, or one transaction; who finds room on none waits in line.
 * The driver's own pool looks through a list that grows for as long as there is always something to do: after a million
 * statements it spends several times as long on each. Clients of one connection each have no such list. None is opened before it
 * is needed. A statement goes where the least is under way, but brief ones go together: PostgreSQL answers several in the time that it
 * takes to wake another of its processes.
 */
export function createPool(url: string, size: number, { idle = 60_000, ...options }: PoolOptions): Pool {
  const places = Array.from(
    { length: size },
    (): Place => ({ session: undefined, busy: 0, brief: 0, wasUsed: false })
  )
  const closing = setInterval(closeIdle, idle).unref()
  let isEnded = false
  let line: Turn[] = []
  let next = 0

  /** The first place that is at brief statements alone and has room for one more. */
  const atBriefOnes = () =>
    places.find(
      ({ busy, brief, session }) => brief > 0 && brief === busy && busy < together && !session?.isOver
    )

  /** The place with the least under way, if it has room; a session that is over leaves it when nothing is under way any more. */
  function leastBusy(weight: number): Place | undefined {
    let least: Place | undefined
    for (const each of places)
      if (each.busy < (least?.busy ?? depth) && (each.busy === 0 || !each.session?.isOver)) least = each
    return least && least.busy + weight <= depth ? least : undefined
  }

  function withRoom({ weight, isBrief }: Need): Place | undefined {
    const place = (isBrief ? atBriefOnes() : undefined) ?? leastBusy(weight)
    if (!place) return undefined
    place.busy += weight
    if (isBrief) place.brief++
    return place
  }

  function giveBack(place: Place, { weight, isBrief }: Need): void {
    place.busy -= weight
    if (isBrief) place.brief--
    for (let turn = line[next]; turn; turn = line[next]) {
      const free = withRoom(turn.need)
      if (!free) break
      next++
      turn.take(free)
    }
    if (next >= forgotten || next === line.length) {
      line = line.slice(next)
      next = 0
    }
  }

  function sessionOf(place: Place): Session {
    if (isEnded) throw Object.assign(new Error('The pool is closed.'), { code: 'CONNECTION_ENDED' })
    if (place.session?.isOver) void leave(place)
    place.session ??= openSession(url, options)
    place.wasUsed = true
    return place.session
  }

  async function withSession<T>(need: Need, work: (session: Session) => PromiseLike<T>): Promise<T> {
    const isFirst = next === line.length
    const place =
      (isFirst ? withRoom(need) : undefined) ??
      (await new Promise<Place>((take) => line.push({ need, take })))
    try {
      return await work(sessionOf(place))
    } finally {
      giveBack(place, need)
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
    unsafe: (...text) => pending((ask) => withSession(statement, (session) => session.ask(ask)), text),
    brief: (...text) => pending((ask) => withSession(brief, (session) => session.ask(ask)), text),
    begin: (run) => withSession(transaction, (session) => session.begin(run)),
    async end() {
      isEnded = true
      clearInterval(closing)
      await Promise.all(places.map(leave))
    }
  }
}

async function leave(place: Place): Promise<void> {
  const { session } = place
  place.session = undefined
  await session?.end()
}
