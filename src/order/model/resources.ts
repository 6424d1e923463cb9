import type { ResourceType } from '../../platform/urls/resource-urls.js'

const api = 'ssl-order'

export const orderResource: ResourceType = { api, path: 'order' }
export const orderLineResource: ResourceType = { api, path: 'order-line' }
export const traceLineResource: ResourceType = { api, path: 'trace-line' }
