import type { ResourceKind } from '../platform/reference.js'

const api = 'ssl-catalogue'

export const catalogueKind: ResourceKind = { api, path: 'catalogue' }
export const itemKind: ResourceKind = { api, path: 'catalogue-item' }
export const annotationKind: ResourceKind = { api, path: 'annotation' }
export const whiteListKind: ResourceKind = { api, path: 'white-list' }
export const blackListKind: ResourceKind = { api, path: 'black-list' }
