import { getTableColumns } from 'drizzle-orm'
import { type Batcher, createBatcher } from '../../db/batch/batcher.js'
import type { Transaction } from '../../db/driver/database.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import type { Extent, OrderWrite } from './order-write.js'
import { saveOnNode } from './save-on-node.js'
import { saveStatement } from './save-statement.js'
import { type OrderRow, orders } from './tables.js'

/**
 * Writes a changed order, its lines, its trace, its events and the audit record, all or nothing.
 * Writes only if the order still has the expected revision and the deadline has not passed. Returns
 * false when the order has changed or is locked, or the deadline has passed.
 * @param begin called right before the write is sent; if it throws, nothing is written.
 */
export const saveOrder = (ports: Ports, write: OrderWrite, begin = () => {}): Promise<boolean> =>
  orderSavers(ports)[changesStatusOnly(write) ? 'status' : 'all'].batch({ write, begin })

/** As {@link saveOrder}, in a transaction with other writes, and so not with other orders. */
export const saveOrderIn = async (ports: Ports, tx: Transaction, write: OrderWrite): Promise<boolean> =>
  (await orderSavers(ports).all.save(tx, [write])).length > 0

const statusMembers = [
  'status',
  'priority',
  'submittedAt',
  'revision',
  'traceCount',
  'eventCount',
  'changedAt'
] as const
const otherMembers = (Object.keys(getTableColumns(orders)) as (keyof OrderRow)[]).filter(
  (member) => member !== 'id' && !(statusMembers as readonly string[]).includes(member)
)

/** Whether a change writes no more than the status of an order, as most do. */
const changesStatusOnly = ({ before, order, newLines, changedLines }: OrderWrite) =>
  newLines.length + changedLines.length === 0 &&
  otherMembers.every((member) => order[member] === before[member])

const orderSavers = memoizePerApp((ports: Ports) => ({
  status: createSaver(ports, { members: statusMembers, hasLines: false }),
  all: createSaver(ports, { members: [...statusMembers, ...otherMembers], hasLines: true })
}))

interface Entry {
  write: OrderWrite
  begin: () => void
}

/** Maximum number of rows and notes of a batch. */
const MAX_BATCH_ROWS = 1000

/** The next batch starts after this many milliseconds even while one is in flight. */
const MAX_WAIT_MS = 100

/**
 * Concurrent changes of different orders share a statement and its commit, or in a distributed
 * database those of one node a transaction: a node that is away fails no changes on others.
 */
function createSaver({ db, isDistributed }: Ports, extent: Extent) {
  const onOne = saveStatement(extent)
  const onNode = saveOnNode(extent)
  const saveAll = (writes: readonly OrderWrite[]) =>
    isDistributed ? db.transaction((tx) => onNode(tx, writes)) : onOne(db, writes)
  const batchers = new Map<string, Batcher<Entry, boolean>>()
  return {
    save: isDistributed ? onNode : onOne,
    batch(entry: Entry): Promise<boolean> {
      const batcher = batchers.get(entry.write.node) ?? createSaveBatcher(saveAll)
      batchers.set(entry.write.node, batcher)
      return batcher(entry)
    }
  }
}

/**
 * Of several changes of one order or one device the first is written: one at most is based on its
 * present revision.
 */
const createSaveBatcher = (
  saveAll: (writes: readonly OrderWrite[]) => Promise<readonly { id: string }[]>
): Batcher<Entry, boolean> =>
  createBatcher({
    name: 'order-saves',
    beforeExecute: ({ begin }) => begin(),
    async execute(entries) {
      const taken = new Set<string>()
      const firsts = new Set<OrderWrite>()
      for (const { write } of entries) {
        const ids = [write.order.id, ...write.changedDevices.map(({ lineId }) => lineId)]
        if (ids.some((id) => taken.has(id))) continue
        for (const id of ids) taken.add(id)
        firsts.add(write)
      }
      const saved = new Set((await saveAll([...firsts])).map(({ id }) => id))
      return entries.map(({ write }) => firsts.has(write) && saved.has(write.order.id))
    },
    weight: ({ write: { order, newLines, changedLines, traces } }) =>
      1 + order.notes.length + newLines.length + changedLines.length + traces.length,
    maxBatchWeight: MAX_BATCH_ROWS,
    maxWaitMs: MAX_WAIT_MS
  })
