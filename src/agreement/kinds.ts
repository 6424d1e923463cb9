import type { ResourceKind } from '../platform/reference.js'

export const partyKind: ResourceKind = { api: 'ssl-order', path: 'party' }
export const contractKind: ResourceKind = { api: 'ssl-order', path: 'contract' }
