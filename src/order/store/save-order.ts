import { getTableColumns } from 'drizzle-orm'
import { createBatcher } from '../../db/batch/batcher.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { type OrderWrite, saveStatement } from './save-statement.js'
import { type OrderRow, orders } from './tables.js'

/**
 * Writes a changed order, its lines, its trace and the audit record in one statement, all or
 * nothing. Writes only if the order still has the expected revision and the deadline has not
 * passed. Returns false when the order has changed or is locked, or the deadline has passed.
 * @param begin called right before the statement is sent; if it throws, the order is not written.
 */
export const saveOrder = (ports: Ports, write: OrderWrite, begin = () => {}): Promise<boolean> =>
  orderSavers(ports)[extentOf(write)]({ write, begin })

/** Writes an order. */
type Save = (entry: { write: OrderWrite; begin: () => void }) => Promise<boolean>

const statusMembers = ['status', 'priority', 'submittedAt', 'revision', 'traceCount', 'changedAt'] as const
const allMembers = (Object.keys(getTableColumns(orders)) as (keyof OrderRow)[]).filter(
  (each) => each !== 'id'
)

/**
 * What changes write, from the most frequent kind to the general one. Columns that stay as they are
 * cost: long notes would be copied, and the index of the searched text would grow.
 */
const extents = {
  status: { members: statusMembers, hasLines: false },
  notes: { members: [...statusMembers, 'notes'], hasLines: false },
  lines: { members: statusMembers, hasLines: true },
  all: { members: allMembers, hasLines: true }
} as const

/** The first kind that writes all that a change changes. */
function extentOf({ before, order, newLines, changedLines }: OrderWrite): keyof typeof extents {
  const changed = allMembers.filter((member) => order[member] !== before[member])
  const hasLines = newLines.length + changedLines.length > 0
  const isCovered = (extent: { members: readonly string[]; hasLines: boolean }) =>
    extent.hasLines >= hasLines && changed.every((member) => extent.members.includes(member))
  for (const name of ['status', 'notes', 'lines'] as const) if (isCovered(extents[name])) return name
  return 'all'
}

const orderSavers = memoizePerApp((ports: Ports) => {
  const saver = (extent: keyof typeof extents) =>
    ports.batching.isBatched ? batchedSaver(ports, extent) : singleSaver(ports, extent)
  return { status: saver('status'), notes: saver('notes'), lines: saver('lines'), all: saver('all') }
})

function singleSaver({ db }: Ports, extent: keyof typeof extents): Save {
  const save = saveStatement(extents[extent], false)
  return async ({ write, begin }) => {
    begin()
    return (await save(db, [write])).length > 0
  }
}

/** Maximum number of rows and notes that share a statement. */
const MAX_BATCH_ROWS = 1000

/** The next batch starts after this many milliseconds even while one is in flight. */
const MAX_WAIT_MS = 100

/**
 * Concurrent changes of different orders share the statement and its commit. Of several changes of
 * one order the first is written: one at most is based on its present revision.
 */
function batchedSaver({ db }: Ports, extent: keyof typeof extents): Save {
  const save = saveStatement(extents[extent], true)
  return createBatcher<Parameters<Save>[0], boolean>({
    beforeExecute: ({ begin }) => begin(),
    async execute(entries) {
      const firsts = new Map<string, OrderWrite>()
      for (const { write } of entries) if (!firsts.has(write.order.id)) firsts.set(write.order.id, write)
      const saved = new Set((await save(db, [...firsts.values()])).map(({ id }) => id))
      return entries.map(({ write }) => firsts.get(write.order.id) === write && saved.has(write.order.id))
    },
    weight: ({ write: { order, newLines, changedLines, traces } }) =>
      1 + order.notes.length + newLines.length + changedLines.length + traces.length,
    maxBatchWeight: MAX_BATCH_ROWS,
    maxWaitMs: MAX_WAIT_MS
  })
}
