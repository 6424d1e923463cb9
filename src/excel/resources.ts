import type { ResourceType } from '../platform/util/resource-urls.js'

export const importResource: ResourceType = { api: 'ssl-catalogue-excel', path: 'import' }
