import type { ResourceKind } from '../platform/reference.js'

const api = 'ssl-order'

export const orderKind: ResourceKind = { api, path: 'order' }
export const orderLineKind: ResourceKind = { api, path: 'order-line' }
export const auditEventKind: ResourceKind = { api, path: 'audit-event' }
export const traceLineKind: ResourceKind = { api, path: 'trace-line' }
