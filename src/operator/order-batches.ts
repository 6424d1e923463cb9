import { sql } from 'drizzle-orm'
import type { Transaction } from '../db/driver/database.js'
import { insertRows } from '../db/sql/insert-all.js'
import { traceLines } from '../order/store/tables.js'
import type { CommandContext } from './command.js'

/**
 * Divides orders into those that one transaction changes: all, or in a distributed database each by
 * itself, because statements about one order run on its node only.
 */
export const batchesOf = (
  { isDistributed }: Pick<CommandContext, 'isDistributed'>,
  ids: readonly string[]
): readonly (readonly string[])[] => (isDistributed ? ids.map((id) => [id]) : [ids])

/**
 * Lets Citus commit the change of an order in two phases, on its node and on the coordinator, as
 * `saveOnNode` does: any `insert … select` tells it to, also one without rows.
 */
export async function commitInTwoPhases(
  tx: Transaction,
  { isDistributed }: Pick<CommandContext, 'isDistributed'>,
  [orderId]: readonly string[]
): Promise<void> {
  if (isDistributed && orderId) await tx.execute(insertRows(traceLines, [], { orderId }))
}

/** Key of an advisory lock. */
const REMOVAL_LOCK = 2_906_184

/**
 * Lets no transaction remove orders while another one adds devices to orders that it has read. No
 * foreign key leads from devices to orders, and Citus locks no rows of several orders.
 */
export const lockRemovals = (tx: Transaction): PromiseLike<unknown> =>
  tx.execute(sql`select pg_advisory_xact_lock(${REMOVAL_LOCK})`)
