/** The text of each kind of trace line. Applications rely on the codes; the texts may change. */
export const traceTexts = {
  'order-created': 'Order created.',
  'order-status-changed': 'Order status changed.',
  'order-line-status-changed': 'Order line status changed.',
  'order-priority-changed': 'Order priority changed.',
  'order-awaits-answer': 'Order awaits an answer.',
  'order-awaits-no-answer': 'Order awaits no answer.',
  'receiver-changed': 'Receiver changed.',
  'delivery-wish-changed': 'Delivery wish changed.',
  'delivery-time-changed': 'Delivery time changed.',
  'order-line-device-changed': 'Order line device changed.',
  'device-use-ended': 'Device use ended.',
  'device-use-resumed': 'Device use resumed.',
  'another-model-delivered': 'Another model was delivered.'
} as const

export type TraceCode = keyof typeof traceTexts

export const traceCodes = Object.keys(traceTexts) as TraceCode[]
