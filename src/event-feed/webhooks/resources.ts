import type { ResourceType } from '../../platform/rest/resource-urls.js'

export const subscriptionResource: ResourceType = { api: 'ssl-order', path: 'subscription' }
