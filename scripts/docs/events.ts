import { eventTypes } from '../../src/ledger/event-types.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import type { ApiDocuments } from '../api-documents.js'

interface EventSchema {
  description: string
  properties: { data: { properties: Partial<Record<'oldStatus' | 'newStatus', { enum: string[] }>> } }
}

/** Every type of event, with the statuses that it names. */
export function eventTable({ asyncApi }: ApiDocuments): string {
  const schemas = asyncApi.components.schemas as Record<string, EventSchema>
  const rows = Object.values(eventTypes)
    .flat()
    .map((type) => {
      const { description = '', properties } = schemas[type] ?? {}
      const { oldStatus, newStatus } = properties?.data.properties ?? {}
      const statuses = [oldStatus, newStatus].flatMap((codes) => codes?.enum.join(', ') ?? [])
      return [`\`${type}\``, description, statuses.join(' → ')]
    })
  return markdownTable(['type', 'when', '`oldStatus` → `newStatus`'], rows)
}
