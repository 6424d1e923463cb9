import { type Static, Type } from '@sinclair/typebox'
import { Coding, Id, Nullable, Timestamp, Url } from '../platform/schemas.js'

export const TraceLine = Type.Object(
  {
    id: Id,
    timestamp: Timestamp('When it happened (UTC).'),
    createdByOrganization: Type.String({
      description: 'Name of the party whose employee did it, or its organization’s URL.'
    }),
    text: Type.String({ description: 'What happened.' }),
    supplementaryText: Type.String({ description: 'Old and new value.' }),
    order: Url('URL of the order.'),
    orderLine: Nullable(Url('URL of the order line; null when it happened to the order.')),
    statusChange: Nullable(
      Type.Object(
        { subject: Url('URL of the order or order line.'), oldStatus: Coding, newStatus: Coding },
        { description: 'Null when no status changed.' }
      )
    )
  },
  { description: 'One entry on the progression of an order.' }
)
export type TraceLine = Static<typeof TraceLine>
