import { sql } from 'drizzle-orm'
import type { Database } from '../../db/driver/database.js'
import { durationHistogram, observeGauge } from '../../platform/telemetry/meter.js'
import { deliveringStatuses } from '../subscription.state.js'
import {
  type SubscriptionStatus,
  subscriptionDeliveries,
  subscriptionStatuses,
  subscriptions
} from '../tables.js'

/**
 * Number of subscriptions of a status, and age of the cursor that is furthest behind, in seconds.
 */
export interface SubscriptionCount {
  status: SubscriptionStatus
  count: number
  lag: number
}

export const countSubscriptions = (db: Database): Promise<readonly SubscriptionCount[]> =>
  db.execute<SubscriptionCount & Record<string, unknown>>(sql`
    select s.status, count(*)::int as count,
      coalesce(max(extract(epoch from now() - d.position_at)), 0)::float8 as lag
    from ${subscriptions} s join ${subscriptionDeliveries} d on d.subscription_id = s.id group by s.status`)

/** Measures deliveries, and observes the counts until `stop`. */
export function deliveryMetrics(counts: () => readonly SubscriptionCount[]) {
  const duration = durationHistogram(
    'ssl.webhook.delivery.duration',
    'Duration of attempts to deliver events.'
  )
  const countOf = (status: SubscriptionStatus) => counts().find((each) => each.status === status)?.count ?? 0
  const lags = () => counts().flatMap(({ status, lag }) => (deliveringStatuses.includes(status) ? [lag] : []))
  const stopCounts = observeGauge(
    'ssl.subscriptions',
    { description: 'Subscriptions to events, by status.' },
    () => subscriptionStatuses.map((status) => [countOf(status), { 'subscription.status': status }])
  )
  const stopLag = observeGauge(
    'ssl.subscriptions.lag',
    { description: 'Age of the cursor that is furthest behind, of subscriptions that deliver.', unit: 's' },
    () => [[Math.max(0, ...lags())]]
  )
  return {
    measure(result: string, durationMs: number): void {
      duration.record(durationMs / 1000, { 'delivery.result': resultClassOf(result) })
    },
    stop() {
      stopCounts()
      stopLag()
    }
  }
}

/**
 * Groups statuses by first digit to bound the metric labels, because the target chooses the status.
 */
export const resultClassOf = (result: string) => result.replace(/^STATUS_(\d)\d\d$/, 'STATUS_$1XX')
