import { typeDescriptions } from '../../src/event-feed/asyncapi/type-descriptions.js'
import { markdownTable } from './markdown.js'

/** Every type of event, with the statuses that it names. */
export const eventTable = (): string =>
  markdownTable(
    ['type', 'when', '`oldStatus` → `newStatus`'],
    Object.entries(typeDescriptions).map(([type, { when, oldStatus, newStatus }]) => [
      `\`${type}\``,
      when,
      [oldStatus, newStatus].flatMap((codes) => codes?.join(', ') ?? []).join(' → ')
    ])
  )
