import type { ResourceType } from '../platform/util/resource-urls.js'

export const subscriptionResource: ResourceType = { api: 'ssl-order', path: 'subscription' }
