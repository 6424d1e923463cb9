import type { ResourceType } from '../platform/urls/resource-urls.js'

export const importResource: ResourceType = { api: 'ssl-catalogue-excel', path: 'import' }
