import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../agreement/resources.js'
import { catalogueResource } from '../catalogue/resources.js'
import { eventTypes } from '../ledger/event-types.js'
import { orderLineResource, orderResource } from '../order/model/resources.js'
import { exampleUrl } from '../platform/schemas/examples.js'
import { Enum, Nullable, Timestamp, Url } from '../platform/schemas/schemas.js'

const text = (description: string, example: string) => Type.String({ description, example })

const status = (description: string, example: string) => Type.Optional(text(description, example))

const line = exampleUrl(orderLineResource, 'line')

export const EventData = Type.Object(
  {
    kind: text('Kind of the resource.', 'OrderLine'),
    change: Type.Unsafe<'created' | 'changed' | 'deleted'>({
      type: 'string',
      enum: ['created', 'changed', 'deleted'],
      description: 'What happened to the resource.',
      example: 'changed'
    }),
    url: Url('URL of the resource, as `subject`.', line),
    order: Type.Optional(Url('Of a line: URL of its order.', exampleUrl(orderResource, 'order'))),
    catalogue: Type.Optional(
      Url('Of an item: URL of its catalogue.', exampleUrl(catalogueResource, 'catalogue'))
    ),
    buyer: Type.Optional(
      Url(
        'Of an annotation or a white list entry: URL of its buying party.',
        exampleUrl(partyResource, 'buyer')
      )
    ),
    oldStatus: status('Code of the status before. Absent without a former status.', 'SUBMITTED'),
    newStatus: status('Code of the status after. Absent for resources without a status.', 'FULFILLED'),
    attention: Type.Optional(
      Enum(['UNANSWERED', 'LATE'], 'Of an overdue order: code of the value set order-attention.')
    ),
    relatedTo: Type.Optional(
      Nullable(
        Url(
          'Of a change of the status of a line: URL of the line that delivered the device that it is about. Null if the line is about no device, or if the reader does not see the delivering line.',
          exampleUrl(orderLineResource, 'delivery')
        )
      )
    )
  },
  { title: 'EventData', description: 'The resource of the event. Read the resource for its content.' }
)

export const CloudEvent = Type.Object(
  {
    specversion: text('Version of CloudEvents.', '1.0'),
    id: text('Id of the event, the same in every repetition.', '019f5a3e-7c00-7000-8000-000000000001'),
    source: text('Base address of the API.', 'https://inttest.example.org/ssl-order/v1'),
    type: text(
      `Type of the event: ${Object.values(eventTypes)
        .flat()
        .map((type) => `\`${type}\``)
        .join(', ')}.`,
      'order-line.status-changed'
    ),
    subject: Url('URL of the resource.', line),
    time: Timestamp('Time of the event (UTC).', '2026-03-02T08:21:40.093Z'),
    sequence: Type.String({
      pattern: '^\\d{10}$',
      description:
        'Number of the event among those of its resource, from 0000000001. A reader who may not see all events sees gaps.',
      example: '0000000003'
    }),
    traceparent: Type.Optional(
      text(
        'Trace context of the request that caused the event.',
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      )
    ),
    datacontenttype: text('Media type of the data.', 'application/json'),
    data: EventData
  },
  { title: 'CloudEvent', description: 'An event (CloudEvents 1.0, JSON format).' }
)
export type CloudEvent = Static<typeof CloudEvent>
