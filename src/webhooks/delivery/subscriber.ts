import { sequenceText } from '../../event-api/cloud-event.js'
import type { CloudEvent } from '../../event-api/event-feed.schemas.js'
import { exampleEvent } from '../../event-api/example-event.js'
import { AuditContext } from '../../platform/auth/audit-context.js'
import type { Call } from '../../platform/auth/call.js'
import { Deadline } from '../../platform/concurrency/deadline.js'
import type { ResourceUrls } from '../../platform/urls/resource-urls.js'
import { subscriptionResource } from '../resources.js'
import type { SubscriptionRow } from '../tables.js'

/** The operation of deliveries in the audit record. */
const OPERATION = 'deliverEvent'

/** The stored caller of a subscription, which has no token and no request. */
export function subscriberOf({ id, userType, userId, organization, permissions }: SubscriptionRow): Call {
  const caller = {
    userType,
    organization,
    token: '',
    name: undefined,
    userId: userId ?? undefined,
    permissions: new Set(permissions)
  }
  const audited = { requestId: id, operation: OPERATION, interaction: 'read' as const }
  return { caller, scope: 'own', auditContext: new AuditContext(audited, caller), deadline: new Deadline(0) }
}

/** The test event that a subscription waits for; undefined without a test event. */
export function testEvent(
  resourceUrls: ResourceUrls,
  { id, testId, testAt, testType, testCount, createdAt }: SubscriptionRow
): CloudEvent | undefined {
  if (testId === null) return undefined
  const own = { id: testId, time: (testAt ?? createdAt).toISOString(), sequence: sequenceText(testCount) }
  return testType
    ? { ...exampleEvent(resourceUrls, testType), ...own }
    : subscriptionTest(resourceUrls, id, own)
}

export function subscriptionTest(
  resourceUrls: ResourceUrls,
  subscriptionId: string,
  { id, time, sequence }: Pick<CloudEvent, 'id' | 'time' | 'sequence'>
): CloudEvent {
  const url = resourceUrls.url(subscriptionResource, subscriptionId)
  return {
    specversion: '1.0',
    id,
    source: resourceUrls.base(subscriptionResource.api),
    type: 'subscription.test',
    subject: url,
    time,
    sequence,
    datacontenttype: 'application/json',
    data: { kind: 'Subscription', change: 'changed', url }
  }
}
