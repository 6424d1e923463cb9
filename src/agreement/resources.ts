import type { ResourceType } from '../platform/rest/resource-urls.js'

export const partyKind: ResourceType = { api: 'ssl-order', path: 'party' }
export const contractKind: ResourceType = { api: 'ssl-order', path: 'contract' }
