import { type Static, Type } from '@sinclair/typebox'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { CodingOf, Id, Nullable, Timestamp, Url } from '../../platform/schemas/schemas.js'
import { traceLineExample } from './order.examples.js'
import { orderLineKind, traceLineKind } from './resources.js'

export const TraceLine = Type.Object(
  {
    id: Id(traceLineKind, 'order submitted'),
    timestamp: Timestamp('When it happened (UTC).', traceLineExample.timestamp),
    createdByOrganization: Type.String({
      description: 'Name of the party whose employee did it, or its organization’s URL.',
      example: traceLineExample.createdByOrganization
    }),
    text: Type.String({ description: 'What happened.', example: traceLineExample.text }),
    supplementaryText: Type.String({
      description: 'Old and new value.',
      example: traceLineExample.supplementaryText
    }),
    order: Url('URL of the order.', traceLineExample.order),
    orderLine: Nullable(
      Url('URL of the order line; null when it happened to the order.', exampleUrl(orderLineKind, 'monitor'))
    ),
    statusChange: Nullable(
      Type.Object(
        {
          subject: Url('URL of the order or order line.', traceLineExample.order),
          oldStatus: CodingOf('Status before.', traceLineExample.statusChange.oldStatus),
          newStatus: CodingOf('Status after.', traceLineExample.statusChange.newStatus)
        },
        { title: 'StatusChange', description: 'A change of status; null when none changed.' }
      )
    )
  },
  {
    title: 'TraceLine',
    description: 'One entry on the progression of an order.',
    example: traceLineExample
  }
)
export type TraceLine = Static<typeof TraceLine>
