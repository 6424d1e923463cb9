import { eventApiOf } from '../ledger/event-types.js'
import type { ResourceUrls } from '../platform/urls/resource-urls.js'
import type { CloudEvent } from './event-feed.schemas.js'
import { findEventFamily } from './families.js'
import type { LedgerEvent } from './read-events.js'

export function cloudEventOf(resourceUrls: ResourceUrls, row: LedgerEvent): CloudEvent {
  const { kind, subject, owner } = findEventFamily(row.type)
  const url = resourceUrls.url(subject, row.subjectId)
  return {
    specversion: '1.0',
    id: row.id,
    source: resourceUrls.base(eventApiOf(row.type)),
    type: row.type,
    subject: url,
    time: row.time.toISOString(),
    sequence: sequenceText(row.sequence),
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
    datacontenttype: 'application/json',
    data: {
      kind,
      change: row.change,
      url,
      ...(owner && { [owner.member]: resourceUrls.url(owner.resource, row.ownerId) }),
      ...(row.oldStatus === null ? {} : { oldStatus: row.oldStatus }),
      ...(row.newStatus === null ? {} : { [newStatusMember(row)]: row.newStatus }),
      ...(row.relatedTo === undefined
        ? {}
        : { relatedTo: row.relatedTo && resourceUrls.url(subject, row.relatedTo.line) })
    }
  }
}

const SEQUENCE_DIGITS = 10

/** A number as the CloudEvents extension `sequence` wants it: texts that sort like the numbers. */
export const sequenceText = (number: number): string => `${number}`.padStart(SEQUENCE_DIGITS, '0')

/** An overdue order has the code of its attention instead of a status. */
const newStatusMember = ({ type }: LedgerEvent) => (type === 'order.overdue' ? 'attention' : 'newStatus')
