import type { ResourceType } from '../platform/urls/resource-urls.js'

const api = 'ssl-catalogue'

export const catalogueResource: ResourceType = { api, path: 'catalogue' }
export const itemResource: ResourceType = { api, path: 'catalogue-item' }
export const annotationResource: ResourceType = { api, path: 'annotation' }
export const whiteListResource: ResourceType = { api, path: 'white-list' }
export const blackListResource: ResourceType = { api, path: 'black-list' }
export const valueSetResource: ResourceType = { api, path: 'value-sets' }
