import type { ResourceType } from '../platform/urls/resource-urls.js'

export const subscriptionResource: ResourceType = { api: 'ssl-order', path: 'subscription' }
