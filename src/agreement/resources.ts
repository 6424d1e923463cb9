import type { ResourceType } from '../platform/urls/resource-urls.js'

export const partyResource: ResourceType = { api: 'ssl-order', path: 'party' }
export const contractResource: ResourceType = { api: 'ssl-order', path: 'contract' }
