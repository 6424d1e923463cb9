import { newId } from '../../db/unit-of-work.js'
import { type FeedCursor, retentionStart } from '../../event-api/cursor.js'
import { awaitBatch } from '../../event-api/feed.js'
import type { EventType } from '../../ledger/event-types.js'
import type { Language } from '../../platform/errors/language.js'
import { attemptDelivery, type RunDependencies } from '../delivery/attempt.js'
import { delayAttempt } from '../delivery/attempt.store.js'
import { type DeliveryRun, RENEWAL_MS, renewLease } from '../delivery/lease.store.js'
import { subscriberOf } from '../delivery/subscriber.js'
import { isPartyAddress, mailAddressOf } from './mail-target.js'
import { MAIL_INTERVAL_MS } from './mailer.js'
import { eventNames, mailTexts } from './texts.js'

type EventCounts = Partial<Record<EventType, number>>

/** Maximum number of events that are read at once, and that a mail counts. */
const BATCH_SIZE = 100
const MAX_COUNTED = 5000

/**
 * Sends the mails of a subscription: the test mail, then the numbers of events by type, at most one
 * mail per {@link MAIL_INTERVAL_MS}. The run ends with a mail, and the next run begins after the
 * interval.
 */
export async function runMail(
  dependencies: RunDependencies,
  run: DeliveryRun,
  isOver: () => boolean
): Promise<void> {
  const { ports } = dependencies
  const sinceLast = Date.now() - (run.deliveredAt?.getTime() ?? 0)
  if (sinceLast < MAIL_INTERVAL_MS) return delayAttempt(ports.db, run, MAIL_INTERVAL_MS - sinceLast)
  const { testId } = run.subscription
  if (testId !== null) {
    await send(dependencies, run, testId)
    return
  }
  const news = await nextNews(dependencies, run, isOver)
  if (news) await send(dependencies, run, newId(), news)
}

/** The numbers of events by type, and the cursor after the events. */
interface News {
  counts: EventCounts
  after: FeedCursor
}

/** Waits for events and counts them. Undefined when the run is over. */
async function nextNews(
  { ports }: RunDependencies,
  run: DeliveryRun,
  isOver: () => boolean
): Promise<News | undefined> {
  const { subscription } = run
  const subscriber = subscriberOf(subscription)
  const since = retentionStart(ports.limits.eventDays)
  const counts: EventCounts = {}
  let after = run.cursor
  for (let counted = 0; ; ) {
    const renewal = performance.now() + RENEWAL_MS
    const request = { after, since, types: subscription.types, limit: BATCH_SIZE }
    const isDone = () => isOver() || counted > 0 || performance.now() > renewal
    const { events, next, isLast } = await awaitBatch(ports, subscriber, request, isDone)
    if (isOver()) return undefined
    for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1
    counted += events.length
    after = next
    if (counted > 0 && (isLast || events.length === 0 || counted >= MAX_COUNTED)) return { counts, after }
    if (counted > 0) continue
    run.cursor = next
    if (!(await renewLease(ports.db, run))) return undefined
  }
}

/** Sends the numbers or a test, if a party of the organization still has the address. */
async function send(dependencies: RunDependencies, run: DeliveryRun, id: string, news?: News): Promise<void> {
  const { ports, mailer } = dependencies
  const { target, organization } = run.subscription
  const type = news ? 'subscription.mail' : 'subscription.test'
  const deliver = async () => {
    const to = mailAddressOf(target)
    if (!mailer || to === undefined || !(await isPartyAddress(ports.db, organization, to)))
      return { result: 'TARGET_NOT_ALLOWED' }
    return mailer.send({ to, ...mailText(mailer.link, news?.counts) })
  }
  await attemptDelivery(dependencies, run, { id, type }, deliver, news?.after)
}

/**
 * A mail in Danish and English, with a link.
 * @param counts the numbers of events in the mail. Undefined for a test mail.
 */
function mailText(link: string, counts?: EventCounts) {
  const paragraphsIn = (language: Language) => [
    ...(counts ? [mailTexts.news[language], linesOf(counts, language)] : [mailTexts.test[language]]),
    `${mailTexts.open[language]} ${link}`,
    mailTexts.end[language]
  ]
  const { da, en } = counts ? mailTexts.newsSubject : mailTexts.testSubject
  const texts = (['da', 'en'] as const).map((language) => paragraphsIn(language).join('\n\n'))
  return { subject: `SSL: ${da} / ${en}`, text: texts.join('\n\n-- \n\n') }
}

const linesOf = (counts: EventCounts, language: Language) =>
  (Object.entries(counts) as [EventType, number][])
    .map(([type, count]) => `${count} × ${eventNames[type][language]}`)
    .join('\n')
