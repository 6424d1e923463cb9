import { type Static, Type } from '@sinclair/typebox'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { CodingOf, Id, Nullable, Timestamp, Url } from '../../platform/schemas/schemas.js'
import { traceSample } from './order.examples.js'
import { orderLineKind, traceLineKind } from './resources.js'

export const TraceLine = Type.Object(
  {
    id: Id(traceLineKind, 'order submitted'),
    timestamp: Timestamp('When it happened (UTC).', traceSample.timestamp),
    createdByOrganization: Type.String({
      description: 'Name of the party whose employee did it, or its organization’s URL.',
      example: traceSample.createdByOrganization
    }),
    text: Type.String({ description: 'What happened.', example: traceSample.text }),
    supplementaryText: Type.String({
      description: 'Old and new value.',
      example: traceSample.supplementaryText
    }),
    order: Url('URL of the order.', traceSample.order),
    orderLine: Nullable(
      Url('URL of the order line; null when it happened to the order.', exampleUrl(orderLineKind, 'monitor'))
    ),
    statusChange: Nullable(
      Type.Object(
        {
          subject: Url('URL of the order or order line.', traceSample.order),
          oldStatus: CodingOf('Status before.', traceSample.statusChange.oldStatus),
          newStatus: CodingOf('Status after.', traceSample.statusChange.newStatus)
        },
        { title: 'StatusChange', description: 'A change of status; null when none changed.' }
      )
    )
  },
  {
    title: 'TraceLine',
    description: 'One entry on the progression of an order.',
    example: traceSample
  }
)
export type TraceLine = Static<typeof TraceLine>
