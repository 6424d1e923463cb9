import type { ResourceType } from '../platform/rest/resource-urls.js'

const api = 'ssl-catalogue'

export const catalogueKind: ResourceType = { api, path: 'catalogue' }
export const itemKind: ResourceType = { api, path: 'catalogue-item' }
export const annotationKind: ResourceType = { api, path: 'annotation' }
export const whiteListKind: ResourceType = { api, path: 'white-list' }
export const blackListKind: ResourceType = { api, path: 'black-list' }
