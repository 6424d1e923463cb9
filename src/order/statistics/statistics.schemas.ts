import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../platform/schemas/schemas.js'

/** The keys by which statistics can be grouped. */
export const statisticsKeys = ['month', 'buyer', 'seller', 'item', 'action'] as const
export type StatisticsKey = (typeof statisticsKeys)[number]

const url = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }))
const day = (description: string) => Type.String({ format: 'date', description })

export const StatisticsQuery = Type.Object(
  {
    from: day('First day of submission, yyyy-mm-dd. For AdministrativeClerk the first day of a month.'),
    to: day(
      'Last day of submission, yyyy-mm-dd, at most 25 months after the first. For AdministrativeClerk the last day of a month.'
    ),
    // OpenAPI 2.0 has no description of the entries of a parameter.
    groupBy: Type.Array(Type.Unsafe<StatisticsKey>({ type: 'string', enum: statisticsKeys }), {
      minItems: 1,
      maxItems: 3,
      description: 'Keys of the rows, repeated. A filter is also a key; the maximum is three keys.',
      collectionFormat: 'multi'
    }),
    buyer: url('URL of a buying party.'),
    seller: url('URL of a delivering party.'),
    item: url('URL of a catalogue item.')
  },
  { additionalProperties: false }
)
export type StatisticsQuery = Static<typeof StatisticsQuery>

const key = (description: string, example: string, more = {}) =>
  Type.Optional(Nullable(Type.String({ description, example, ...more })))
const urlKey = (description: string, example: string) => key(description, example, { format: 'uri' })
const count = (description: string, example: number) => Type.Integer({ description, example })
const median = (description: string, example: number) => Nullable(Type.Number({ description, example }))

export const figureMembers = {
  orders: count('Submitted orders.', 42),
  lines: count('Their order lines.', 97),
  fulfilled: count('Orders that are FULFILLED.', 30),
  cancelled: count('Orders that are CANCELLED.', 2),
  rejected: count('Orders that are REJECTED.', 1),
  returned: count('Orders with a line that was ever UNFULFILLED after the submission.', 3),
  late: count('Orders that were ever late.', 4),
  answerHoursMedian: median('Hours from submission to the first answer of the seller.', 5.5),
  deliveryDaysMedian: median('Days from submission to fulfilment, of the fulfilled lines.', 3.2),
  devicesInUse: count('Devices that these lines delivered and that were in use at the end of `to`.', 61)
}

export const OrderStatistics = Type.Object(
  {
    month: key('Month of submission, yyyy-mm.', '2026-03'),
    buyer: urlKey('URL of the buying party.', 'https://ssl.example/ssl-order/v1/party/1'),
    seller: urlKey('URL of the delivering party.', 'https://ssl.example/ssl-order/v1/party/2'),
    item: urlKey('URL of the item.', 'https://ssl.example/ssl-catalogue/v1/catalogue-item/3'),
    action: key('Code of the action.', 'DELIVER', { 'x-value-set': 'order-line-action' }),
    ...figureMembers
  },
  {
    title: 'OrderStatistics',
    description: 'Figures of the orders of one group. In the row of all other groups each key is null.'
  }
)
export type OrderStatistics = Static<typeof OrderStatistics>
