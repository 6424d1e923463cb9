import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { APPLICATION_NAME, type Database } from '../db/driver/database.js'
import { redactError } from '../platform/errors/redact-error.js'
import { logLine } from '../platform/logging/log-line.js'
import { observeGauge, secondsSince } from '../platform/telemetry/meter.js'
import { ledgerHorizon } from './feed.js'
import { eventLocks, type Hold, isPrepared } from './horizon.js'

/** Who has the oldest transaction of a hold. */
interface Holder {
  /** An instance of this program, another program, or a prepared transaction. */
  kind: 'instance' | 'program' | 'prepared' | 'unknown'
  /** Its process in PostgreSQL; 0 without one. */
  pid: number
  /** Name that its program gave itself. */
  application: string | null
}

const UNKNOWN: Holder = { kind: 'unknown', pid: 0, application: null }

/** Seconds of a hold after which PostgreSQL is asked who has it. Nearly all end before. */
const ASK_AFTER_S = 5

/** Seconds of a hold after which it is logged. */
const LOG_AFTER_S = 30

/**
 * Measures for how long an open transaction has kept committed events from their readers, and who
 * has it. PostgreSQL is asked only when the metrics are read during a long hold.
 */
export const holdMetrics = fp(
  async (app: FastifyInstance) => {
    const horizon = ledgerHorizon(app)
    let holder: Holder | undefined
    let named: string | undefined
    let logged: string | undefined

    async function ask(hold: Hold): Promise<void> {
      const id = hold.writers.join()
      if (named !== id) {
        named = id
        holder = await findHolder(app.db, hold.writers)
      }
      if (logged === id || secondsSince(hold.since) < LOG_AFTER_S) return
      logged = id
      const { kind, pid, application } = holder ?? UNKNOWN
      app.log.warn(
        logLine('An open transaction keeps events from their readers', { holder: kind, pid, application })
      )
    }

    /** Returns what is known, and starts to ask who has a long hold. */
    function observe(): { seconds: number; holder: Holder | undefined } {
      const hold = horizon.hold()
      const seconds = hold ? secondsSince(hold.since) : 0
      if (hold && seconds > ASK_AFTER_S)
        void ask(hold).catch((cause) => {
          named = undefined
          app.log.warn(logLine('Cannot find what keeps events back', { cause: redactError(cause) }))
        })
      else {
        named = undefined
        holder = undefined
      }
      return { seconds, holder }
    }

    const stops = [
      observeGauge(
        'ssl.event_feed.delay',
        {
          description: 'Seconds for which an open transaction has kept committed events back, or 0.',
          unit: 's'
        },
        () => {
          const { seconds, holder } = observe()
          return [[seconds, { holder: seconds > 0 ? (holder ?? UNKNOWN).kind : 'none' }]]
        }
      ),
      observeGauge(
        'ssl.event_feed.holder.pid',
        { description: 'Process in PostgreSQL of the transaction that keeps events back for long, or 0.' },
        () => [[holder?.pid ?? 0]]
      )
    ]
    app.addHook('onClose', async () => {
      for (const stop of stops) stop()
    })
  },
  { name: 'hold-metrics' }
)

/** Finds the session of the oldest of these transactions. Leaves out its query. */
async function findHolder(db: Database, writers: readonly string[]): Promise<Holder> {
  const [row] = await db.execute<{ pid: number | null; application: string | null }>(sql`
    select l.pid, a.application_name as application
    from (select distinct virtualtransaction, pid from ${eventLocks}) l
    left join pg_stat_activity a on a.pid = l.pid
    where l.virtualtransaction = any(${sql.param(writers)}::text[])
    order by a.xact_start nulls first limit 1`)
  // It holds no lock when only workers of a distributed database have it prepared.
  if (!row) return { ...UNKNOWN, kind: writers.some(isPrepared) ? 'prepared' : 'unknown' }
  const { pid, application } = row
  if (pid === null) return { kind: 'prepared', pid: 0, application }
  return { kind: application === APPLICATION_NAME ? 'instance' : 'program', pid, application }
}
