import type { ResourceType } from '../platform/reference.js'

export const partyKind: ResourceType = { api: 'ssl-order', path: 'party' }
export const contractKind: ResourceType = { api: 'ssl-order', path: 'contract' }
