import { sql } from 'drizzle-orm'
import type { Database } from '../../../db/driver/database.js'
import { durationHistogram, observeGauge } from '../../../platform/telemetry/meter.js'
import { deliveringStatuses } from '../subscription.state.js'
import {
  type SubscriptionStatus,
  subscriptionDeliveries,
  subscriptionStatuses,
  subscriptions
} from '../tables.js'

/** Subscriptions by their status, and how far behind the delivered ones are. */
export interface SubscriptionCounts {
  counts: ReadonlyMap<SubscriptionStatus, number>
  /** Seconds since the time up to which the last one of those that deliver has delivered. */
  maxLagSeconds: number
}

/** Counts the subscriptions of the database. */
export async function countSubscriptions(db: Database): Promise<SubscriptionCounts> {
  const rows = await db.execute<{ status: SubscriptionStatus; count: number; lag: number }>(sql`
    select s.status, count(*)::int as count,
      coalesce(max(extract(epoch from now() - d.position_at)), 0)::float8 as lag
    from ${subscriptions} s join ${subscriptionDeliveries} d on d.subscription_id = s.id group by s.status`)
  const delivering = rows.filter(({ status }) => deliveringStatuses.includes(status))
  return {
    counts: new Map(rows.map(({ status, count }) => [status, count])),
    maxLagSeconds: Math.max(0, ...delivering.map(({ lag }) => lag))
  }
}

/** Measures deliveries, and observes the counts until `stop`. */
export function deliveryMetrics(counts: () => SubscriptionCounts): {
  measure: (result: string, durationMs: number) => void
  stop: () => void
} {
  const duration = durationHistogram(
    'ssl.webhook.delivery.duration',
    'Duration of attempts to deliver events.'
  )
  const stops = [
    observeGauge('ssl.subscriptions', { description: 'Subscriptions to events, by status.' }, () =>
      subscriptionStatuses.map((status) => [
        counts().counts.get(status) ?? 0,
        { 'subscription.status': status }
      ])
    ),
    observeGauge(
      'ssl.subscriptions.lag',
      { description: 'Age of the cursor that is furthest behind, of subscriptions that deliver.', unit: 's' },
      () => [[counts().maxLagSeconds]]
    )
  ]
  return {
    measure: (result, durationMs) =>
      duration.record(durationMs / 1000, { 'delivery.result': resultClassOf(result) }),
    stop: () => {
      for (const stop of stops) stop()
    }
  }
}

/** Statuses by their first digit: targets choose them. */
export const resultClassOf = (result: string) => result.replace(/^STATUS_(\d)\d\d$/, 'STATUS_$1XX')
