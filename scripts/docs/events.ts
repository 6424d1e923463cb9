import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventTypes } from '../../src/ledger/event-types.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import { projectRoot } from '../../src/platform/util/project-root.js'

interface EventSchema {
  description: string
  properties: { data: { properties: Partial<Record<'oldStatus' | 'newStatus', { enum: string[] }>> } }
}

/** Every type of event, with the statuses that it names. */
export function eventTable(): string {
  const { components } = JSON.parse(readFileSync(join(projectRoot, 'asyncapi', 'events.json'), 'utf8')) as {
    components: { schemas: Record<string, EventSchema> }
  }
  const rows = Object.values(eventTypes)
    .flat()
    .map((type) => {
      const { description = '', properties } = components.schemas[type] ?? {}
      const { oldStatus, newStatus } = properties?.data.properties ?? {}
      const statuses = [oldStatus, newStatus].flatMap((codes) => codes?.enum.join(', ') ?? [])
      return [`\`${type}\``, description, statuses.join(' → ')]
    })
  return markdownTable(['type', 'when', '`oldStatus` → `newStatus`'], rows)
}
