import { type Static, Type } from '@sinclair/typebox'
import { exampleUrl } from '../../platform/schemas/examples.js'
import {
  AnyCoding,
  CodeOf,
  type Coding,
  Id,
  Nullable,
  Timestamp,
  Url
} from '../../platform/schemas/schemas.js'
import { traceLineExample } from './order.examples.js'
import { orderLineResource, traceLineResource } from './resources.js'
import { type TraceCode, traceCodes } from './trace-texts.js'

const statusOf = (description: string, example: Coding) =>
  Type.Unsafe<Coding>({
    ...AnyCoding(description, example),
    title: 'StatusCoding',
    'x-value-set': ['order-status', 'order-line-status']
  })

export const TraceLine = Type.Object(
  {
    id: Id(traceLineResource, 'line submitted'),
    timestamp: Timestamp('Time of the event (UTC).', traceLineExample.timestamp),
    createdByOrganization: Type.String({
      description: 'Name of the party that acted, or the URL of its organization.',
      example: traceLineExample.createdByOrganization
    }),
    text: Type.String({ description: 'Description of the event.', example: traceLineExample.text }),
    code: Type.Unsafe<TraceCode>({
      ...CodeOf(
        traceCodes,
        'What the trace line reports. Texts may change, codes do not.',
        traceLineExample.code
      )
    }),
    supplementaryText: Type.String({
      description: 'Old and new value, and the display of the code of a reason.',
      example: traceLineExample.supplementaryText
    }),
    order: Url('URL of the order.', traceLineExample.order),
    orderLine: Nullable(
      Url(
        'URL of the order line; null for an event of the order itself.',
        exampleUrl(orderLineResource, 'monitor')
      )
    ),
    statusChange: Nullable(
      Type.Object(
        {
          subject: Url('URL of the order or order line.', traceLineExample.order),
          oldStatus: statusOf('Status before.', traceLineExample.statusChange.oldStatus),
          newStatus: statusOf('Status after.', traceLineExample.statusChange.newStatus)
        },
        { title: 'StatusChange', description: 'A change of status; null when no status changed.' }
      )
    )
  },
  {
    title: 'TraceLine',
    description: 'One event in the history of an order.',
    example: traceLineExample
  }
)
export type TraceLine = Static<typeof TraceLine>
