import type { ResourceType } from '../../platform/rest/resource-urls.js'

const api = 'ssl-order'

export const orderKind: ResourceType = { api, path: 'order' }
export const orderLineKind: ResourceType = { api, path: 'order-line' }
export const auditEventKind: ResourceType = { api, path: 'audit-event' }
export const traceLineKind: ResourceType = { api, path: 'trace-line' }
