import type { ResourceType } from '../platform/rest/resource-urls.js'

export const importResource: ResourceType = { api: 'ssl-catalogue-excel', path: 'import' }
