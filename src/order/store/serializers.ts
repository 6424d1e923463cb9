import { partyResource } from '../../agreement/resources.js'
import { itemResource } from '../../catalogue/resources.js'
import { type CodingLookup, columnSerializers } from '../../db/json/column-serializers.js'
import { anyOf, jsonNull, jsonObject, jsonWhen, type Serializer } from '../../db/json/serializer.js'
import { eachField, type Fields } from '../../platform/schemas/fields.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { codingLookupOf } from '../../terminology/known-code.js'
import type { LineWithDevices } from '../device/line-devices.js'
import { deviceMembers } from '../device/serialize.js'
import { orderFields, receiverFields } from '../model/order.fields.js'
import type { StoredOrder } from '../model/order.schemas.js'
import type { OrderLine } from '../model/order-line.schemas.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import type { StatusReason } from '../model/status-reason.schemas.js'
import type { TraceLine } from '../model/trace-line.schemas.js'
import type { LineRow, OrderRow, TraceRow } from './tables.js'
import { orderLines, orders, traceLines } from './tables.js'

type SerializerPorts = Pick<Ports, 'resourceUrls' | 'terminology'>

/** The JSON serializers of orders, order lines and trace lines. */
export const orderSerializers = memoizePerApp((ports: SerializerPorts) => ({
  order: orderSerializer(ports),
  line: lineSerializer(ports),
  trace: traceSerializer(ports)
}))

const order = columnSerializers<OrderRow>(orders)
const line = columnSerializers<LineRow>(orderLines)
const trace = columnSerializers<TraceRow>(traceLines)

/** Serializers of the columns of the fields. */
const fieldSerializers = <F extends Fields<{ column: keyof OrderRow }>>(fields: F) =>
  eachField(fields, ({ column }) => order.value(column)) as {
    [K in keyof F]: Serializer<OrderRow, OrderRow[F[K]['column']]>
  }

type ReasonRow = Pick<OrderRow, 'statusReasonCode' | 'statusReasonText'>

/** The reason of the status; null when there is neither a code nor a text. */
function reasonSerializer<R extends ReasonRow>(
  columns: ReturnType<typeof columnSerializers<ReasonRow>>,
  codes: CodingLookup
): Serializer<R, StatusReason | null> {
  const [hasCode, hasText] = [columns.isSet('statusReasonCode'), columns.isSet('statusReasonText')]
  return jsonWhen(
    anyOf(hasCode, hasText),
    jsonObject<ReasonRow, StatusReason>({
      code: jsonWhen(hasCode, columns.coding('statusReasonCode', codes), jsonNull),
      text: columns.value('statusReasonText')
    }),
    jsonNull
  )
}

const orderSerializer = ({ resourceUrls, terminology }: SerializerPorts): Serializer<OrderRow, StoredOrder> =>
  jsonObject({
    id: order.value('id'),
    identifiers: order.value('identifiers'),
    ...fieldSerializers(orderFields),
    status: order.coding('status', codingLookupOf(terminology, 'order-status')),
    statusReason: reasonSerializer(order, codingLookupOf(terminology, 'order-status-reason')),
    priority: order.value('priority'),
    notes: order.value('notes'),
    awaiting: order.value('awaiting'),
    buyer: order.url('buyerId', resourceUrls.url(partyResource, '')),
    seller: order.url('sellerId', resourceUrls.url(partyResource, '')),
    receiver: jsonObject({
      name: order.value('receiverName'),
      ...fieldSerializers(receiverFields),
      patient: order.value('patient')
    }),
    created: order.timestamp('createdAt'),
    submitted: order.timestamp('submittedAt'),
    updated: order.timestamp('changedAt')
  })

/** The serializer of a line with its devices. For their form in SQL see `deviceMembersText`. */
function lineSerializer(ports: SerializerPorts): {
  toJson: (row: LineWithDevices) => OrderLine
  ofRow: Serializer<LineRow, object>
} {
  const { resourceUrls, terminology } = ports
  const members = jsonObject({
    id: line.value('id'),
    order: line.url('orderId', resourceUrls.url(orderResource, '')),
    status: line.coding('status', codingLookupOf(terminology, 'order-line-status')),
    statusReason: reasonSerializer(line, codingLookupOf(terminology, 'order-status-reason')),
    item: line.url('itemId', resourceUrls.url(itemResource, '')),
    action: line.coding('action', codingLookupOf(terminology, 'order-line-action')),
    agreedFrom: line.timestamp('agreedFrom'),
    agreedTo: line.timestamp('agreedTo')
  })
  const devices = deviceMembers(ports)
  return { toJson: (row) => ({ ...members.toJson(row), ...devices(row) }), ofRow: members }
}

function traceSerializer({ resourceUrls, terminology }: SerializerPorts): Serializer<TraceRow, TraceLine> {
  const ofOrder = trace.url('orderId', resourceUrls.url(orderResource, ''))
  const ofLine = trace.url('orderLineId', resourceUrls.url(orderLineResource, ''))
  const change = (subject: Serializer<TraceRow, string>, set: 'order-status' | 'order-line-status') =>
    jsonObject({
      subject,
      oldStatus: trace.coding('oldStatus', codingLookupOf(terminology, set)),
      newStatus: trace.coding('newStatus', codingLookupOf(terminology, set))
    })
  return jsonObject({
    id: trace.value('id'),
    timestamp: trace.timestamp('timestamp'),
    createdByOrganization: trace.value('createdByOrganization'),
    text: trace.value('text'),
    supplementaryText: trace.value('supplementaryText'),
    order: ofOrder,
    orderLine: ofLine,
    statusChange: jsonWhen(
      trace.isSet('newStatus'),
      jsonWhen(
        trace.isSet('orderLineId'),
        change(ofLine as Serializer<TraceRow, string>, 'order-line-status'),
        change(ofOrder, 'order-status')
      ),
      jsonNull
    )
  })
}
