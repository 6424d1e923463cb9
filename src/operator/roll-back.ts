import { TransactionRollbackError } from 'drizzle-orm'
import type { Database, Transaction } from '../db/driver/database.js'
import { unitOfWork } from '../db/unit-of-work.js'

/**
 * Runs a command in a transaction. Unless it is confirmed, rolls back the changes, so that the
 * result is a preview.
 */
export async function runWithPreview<T extends object>(
  db: Database,
  isConfirmed: boolean,
  run: (tx: Transaction) => Promise<T>
): Promise<T> {
  let result: T | undefined
  try {
    await unitOfWork({ db }, null, async ({ tx }) => {
      result = await run(tx)
      if (!isConfirmed) throw new TransactionRollbackError()
    })
  } catch (error) {
    if (!(error instanceof TransactionRollbackError)) throw error
  }
  if (!result) throw new Error('The transaction ended without a result.')
  return result
}
