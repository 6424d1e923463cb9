import { createHmac } from 'node:crypto'
import { and, eq, not, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Database } from '../db/driver/database.js'
import { sharedSecret } from '../db/shared-values.js'
import { idempotencyKeys } from '../db/tables.js'
import { isExpiredKey } from '../db/unit-of-work.js'
import type { Call, IdempotencyKey } from '../platform/auth/call.js'
import { Problem } from '../platform/errors/problem.js'
import { hasIdempotencyKey, parseIdempotencyKey, type RunOnce } from '../platform/rest/run-once.js'
import { repeatedWork } from '../platform/server/repeated.js'
import { serverProblem } from '../platform/server/texts.js'

/** Maximum number of keys that one statement deletes, so that it does not lock them for long. */
const DELETE_BATCH_SIZE = 1000

/** Decorates the server with `runOnce`, and deletes expired keys at start and every hour. */
export const idempotency = fp<{ db: Database }>(
  async (app: FastifyInstance, { db }) => {
    const secret = await sharedSecret(db, 'idempotency')
    const hash = (...parts: unknown[]) => createHmac('sha256', secret).update(JSON.stringify(parts)).digest()

    const runOnce: RunOnce = async (
      request,
      { run, toResult, repeat, bodyDigest = request.state.bodyDigest }
    ) => {
      const { call, deadline } = request.state
      if (!hasIdempotencyKey(request)) return run(call)
      const id = hash('key', parseIdempotencyKey(request), ...callerOf(call))
      const key = {
        id,
        request: hash('request', request.method, request.url, bodyDigest?.toString('base64')),
        toResult
      }
      const findMade = async () => {
        const result = await findResult(db, key)
        return result && { made: await repeat(call, result as ReturnType<typeof toResult>) }
      }
      const owner = { caller: id.toString('base64'), organization: '' }
      return app.slots.keyedRequests.run(owner, async () => {
        deadline.check()
        const earlier = await findMade()
        if (earlier) return earlier.made
        try {
          return await run({ ...call, idempotencyKey: key })
        } catch (error) {
          if (deadline.isExceeded) throw error
          // A repeat on another instance may have been executed first.
          const other = await findMade().catch((cause) => {
            throw cause instanceof Problem ? cause : error
          })
          if (other) return other.made
          throw error
        }
      })
    }
    app.decorate('runOnce', runOnce)
    await app.register(repeatedWork, {
      failure: 'Cannot delete expired idempotency keys',
      run: (signal) => deleteExpiredKeys(db, signal)
    })
  },
  { name: 'idempotency' }
)

/**
 * What distinguishes callers. The same user counts as another caller for another organization or
 * user type, because the resources of a key belong to one organization.
 */
function callerOf({ caller: { issuer, userId, userType, organization } }: Call): unknown[] {
  if (userId === undefined) throw serverProblem('invalid-idempotency-key')
  return [issuer, userId, userType, organization]
}

/**
 * Finds the result of an earlier request with this key. Undefined if there is none.
 * @throws Problem `idempotency-key-reused` when it was another request.
 */
async function findResult(db: Database, { id, request }: IdempotencyKey): Promise<object | undefined> {
  const [found] = await db
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.id, id), not(isExpiredKey)))
  if (found && !Buffer.from(found.request).equals(request)) throw serverProblem('idempotency-key-reused')
  return found?.result
}

/**
 * Deletes expired keys in several statements, and returns their number.
 * @param signal ends it before the next statement.
 */
export async function deleteExpiredKeys(db: Database, signal?: AbortSignal): Promise<number> {
  let total = 0
  while (!signal?.aborted) {
    const expired = db
      .select({ id: idempotencyKeys.id })
      .from(idempotencyKeys)
      .where(isExpiredKey)
      .limit(DELETE_BATCH_SIZE)
      .for('update', { skipLocked: true })
    const deleted = await db
      .delete(idempotencyKeys)
      .where(sql`${idempotencyKeys.id} = any(array(${expired}))`)
      .returning({ id: idempotencyKeys.id })
    total += deleted.length
    if (deleted.length < DELETE_BATCH_SIZE) break
  }
  return total
}
