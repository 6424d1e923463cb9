import type { EventType } from '../ledger/event-types.js'
import { exampleId } from '../platform/schemas/examples.js'
import type { ResourceType, ResourceUrls } from '../platform/urls/resource-urls.js'
import { cloudEventOf } from './cloud-event.js'
import { eventDocOf } from './event-docs.js'
import type { CloudEvent } from './event-feed.schemas.js'
import { findEventFamily } from './families.js'

const exampleIdOf = (resource: ResourceType) => exampleId(resource, resource.path)

/** The example of a type of event, about a resource that does not exist. */
export function exampleEvent(resourceUrls: ResourceUrls, type: EventType): CloudEvent {
  const { changes, oldStatus, newStatus, attention, hasRelatedTo } = eventDocOf(type)
  const { subject, owner } = findEventFamily(type)
  return cloudEventOf(resourceUrls, {
    position: 1,
    time: new Date('2026-03-02T08:21:40.093Z'),
    id: '019f5a3e-7c00-7000-8000-000000000001',
    type,
    change: changes[0],
    subjectId: exampleIdOf(subject),
    ownerId: exampleIdOf(owner?.resource ?? subject),
    sequence: 3,
    oldStatus: oldStatus?.example ?? null,
    newStatus: (newStatus ?? attention)?.example ?? null,
    isOfDraft: false,
    traceparent: null,
    ...(hasRelatedTo && { relatedTo: null })
  })
}
