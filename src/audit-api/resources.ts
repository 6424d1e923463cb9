import type { ResourceType } from '../platform/util/resource-urls.js'

export const auditEventResource: ResourceType = { api: 'ssl-order', path: 'audit-event' }
