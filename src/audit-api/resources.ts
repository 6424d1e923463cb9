import type { ResourceType } from '../platform/urls/resource-urls.js'

export const auditEventResource: ResourceType = { api: 'ssl-order', path: 'audit-event' }
