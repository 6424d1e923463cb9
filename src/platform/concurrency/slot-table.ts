import { observeGauge } from '../telemetry/meter.js'
import type { Quotas } from './quotas.js'
import { Slots } from './slots.js'

const MIB = 1_048_576

/** With 100 ms bulk creations take longer; with 5 ms other requests wait twice as long. */
const COOL_DOWN_MS = 20

const UNLIMITED: Quotas = {
  total: Number.POSITIVE_INFINITY,
  caller: Number.POSITIVE_INFINITY,
  organization: Number.POSITIVE_INFINITY
}
/** Bounds memory. Three organizations can fill the queue before a fourth is rejected. */
const PAGE_QUEUE: Quotas = { total: 1000, caller: 100, organization: 300 }
/** Bounds memory. An organization leaves a quarter to other organizations. */
const UPSTREAM_QUEUE: Quotas = { total: 1000, caller: 500, organization: 750 }
/** Each has an open connection. An organization leaves three quarters to other organizations. */
const EVENT_WAITS: Quotas = { total: 1000, caller: 100, organization: 250 }

/**
 * Every resource of an instance for which callers compete. By default no organization takes all
 * slots.
 */
export const createSlotTable = (heavyWorkSlots: number) => ({
  // Each task keeps a processor busy for up to some seconds. Work in a longer queue would be too
  // late.
  heavyWork: new Slots({
    work: 'imports, their undo, exports, JSON bodies above 1 MiB',
    slots: { total: heavyWorkSlots, caller: 1, organization: 1 },
    queue: { total: 4 * heavyWorkSlots, caller: 4, organization: 6 },
    coolDownMs: COOL_DOWN_MS
  }),
  // Each task blocks the event loop for milliseconds.
  largeWork: new Slots({
    work: 'JSON bodies from 32 KiB, pages of lists above 256 KiB',
    slots: { total: 2, caller: 1, organization: 1 },
    queue: { total: 1000, caller: 4, organization: 40 },
    coolDownMs: COOL_DOWN_MS
  }),
  // Half of the statements that the default pool has in flight.
  pages: new Slots({
    work: 'pages of lists up to 256 KiB',
    slots: { total: 16, caller: 6, organization: 7 },
    queue: PAGE_QUEUE
  }),
  // Such pages take several times as long as other pages.
  widePages: new Slots({
    work: 'such pages with `expand`, as CSV, or with a `limit` above 100 (the default is 1000)',
    slots: { total: 4, caller: 1, organization: 2 },
    queue: PAGE_QUEUE
  }),
  // A thousand readers may wait for events. Two statements at a time leave connections to other
  // requests.
  eventReads: new Slots({
    work: 'statements that read events',
    slots: { total: 2, caller: 1, organization: 1 },
    queue: UNLIMITED,
    coolDownMs: COOL_DOWN_MS
  }),
  orderEventWaits: new Slots({
    work: 'streams and waiting requests of `ssl-order/v1/events`',
    slots: EVENT_WAITS
  }),
  catalogueEventWaits: new Slots({
    work: 'streams and waiting requests of `ssl-catalogue/v1/events`',
    slots: EVENT_WAITS
  }),
  // The process stays below 450 MB.
  bodyBytes: new Slots({
    work: 'request bodies from 32 KiB, in bytes',
    slots: { total: 128 * MIB, caller: 32 * MIB, organization: 64 * MIB }
  }),
  // As many connections as slots.
  clinicalRequests: new Slots({
    work: 'requests to the clinical server',
    slots: { total: 20, caller: 10, organization: 15 },
    queue: UPSTREAM_QUEUE
  }),
  // One request of a caller sends four at a time.
  terminologyRequests: new Slots({
    work: 'requests to the terminology server',
    slots: { total: 16, caller: 8, organization: 12 },
    queue: UPSTREAM_QUEUE
  }),
  // The `Idempotency-Key` is the owner of the slot. A repeat waits for the first request.
  keyedRequests: new Slots({
    work: 'requests with one `Idempotency-Key`, each key as a caller',
    slots: { ...UNLIMITED, caller: 1 },
    queue: UNLIMITED
  })
})

export type SlotTable = ReturnType<typeof createSlotTable>

/** Measures the slots in use and the work that waits, until the returned function is called. */
export const observeSlots = (table: SlotTable): (() => void) =>
  observeGauge('ssl.slots', { description: 'Slots of each bounded resource by state.' }, () =>
    Object.entries(table).flatMap(([resource, { used, waiting }]) => [
      [used, { 'slot.resource': resource, 'slot.state': 'used' }] as const,
      [waiting, { 'slot.resource': resource, 'slot.state': 'waiting' }] as const
    ])
  )
