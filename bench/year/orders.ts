import { searchText } from '../../src/platform/util/search-text.js'
import type { Assortment } from './items.js'
import { liveOrder } from './life.js'
import {
  day,
  idAt,
  patientUrl,
  personName,
  type Random,
  type Size,
  streetAddress,
  townName,
  yearBegins
} from './random.js'
import { drainAll, type TableWriter } from './tables.js'

export type OrderTables = Readonly<Record<'orders' | 'lines' | 'traces', TableWriter>>

type TraceRow = (string | number | Date | null)[]

/**
 * Writes orders with their lines day by day, and trace lines in chronological order across orders,
 * as in a real year.
 */
export async function writeOrders(
  random: Random,
  size: Size,
  assortments: readonly Assortment[],
  to: OrderTables
): Promise<void> {
  const traces = Array.from({ length: 400 }, (): { at: number; row: TraceRow }[] => [])
  const apart = (365 * day) / size.orders
  let written = 0
  const flush = (upTo: number) => {
    for (; written < upTo; written++) {
      for (const { row } of (traces[written] ?? []).sort((one, other) => one.at - other.at))
        to.traces.write(row)
      traces[written] = []
    }
  }
  for (let at = 0; at < size.orders; at++) {
    const createdAt = Math.floor(yearBegins + (at + random.next()) * apart)
    for (const trace of writeOrder(random, size, at, createdAt, random.pick(assortments), to))
      traces[Math.floor((trace.at - yearBegins) / day)]?.push(trace)
    const today = Math.floor((createdAt - yearBegins) / day)
    if (today > written) {
      flush(today)
      await drainAll(to)
    }
  }
  flush(traces.length)
}

function writeOrder(
  random: Random,
  size: Size,
  number: number,
  createdAt: number,
  { buyer, seller, items }: Assortment,
  to: OrderTables
) {
  const id = idAt(random, createdAt)
  const lines = Array.from({ length: 1 + random.below(5) }, (_, at) =>
    idAt(random, createdAt + 1000 * (at + 1))
  )
  const life = liveOrder(random, createdAt, lines.length)
  const changedAt = life.events.at(-1)?.at ?? createdAt
  const receiver = personName(random)
  const identifiers = [{ system: 'urn:oid:1.2.208.999.2', value: `O${number}`, assigner: buyer.name }]
  const notes = random.chance(0.3)
    ? [note(createdAt, personName(random), buyer.name, 'Ring før levering, borgeren hører dårligt.')]
    : []
  to.orders.write([
    ...[id, identifiers, `Hjemmemonitorering ${number}`, life.status, random.chance(0.1), notes],
    ...[buyer.id, seller.id, receiver, streetAddress(random), null, `${1000 + random.below(8999)}`],
    ...[townName(random), `modtager${number}@mail.example`, `+45 ${10_000_000 + random.below(89_999_999)}`],
    ...[
      patientUrl(random.below(size.patients)),
      searchText(`Hjemmemonitorering ${number}`, receiver, `O${number}`)
    ],
    ...[1 + lines.length + new Set(life.events.map((event) => event.at)).size, life.events.length],
    ...[
      new Date(createdAt),
      new Date(changedAt),
      life.submittedAt === undefined ? null : new Date(life.submittedAt)
    ]
  ])
  for (const [at, line] of lines.entries()) {
    const status = life.lineStatuses[at] ?? 'UNFULFILLED'
    to.lines.write([line, id, random.pick(items), status, 'DELIVER', new Date(createdAt + 1000 * (at + 1))])
  }
  return life.events.map((event, before) => {
    const [from = null, to = null] = event.change ?? []
    const row: TraceRow = [
      ...[idAt(random, event.at), id, before + 1, new Date(event.at)],
      ...[event.by === 'buyer' ? buyer.name : seller.name, event.text, event.supplementaryText],
      ...[event.line === undefined ? null : (lines[event.line] ?? null), from, to]
    ]
    return { at: event.at, row }
  })
}

const note = (at: number, authorName: string, authorOrganization: string, text: string) => ({
  timestamp: new Date(at).toISOString(),
  authorName,
  authorOrganization,
  note: text
})
