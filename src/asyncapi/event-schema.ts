import type { TSchema } from '@sinclair/typebox'
import type { EventCodes, EventDoc } from '../event-api/event-docs.js'
import { CloudEvent, EventData } from '../event-api/event-feed.schemas.js'
import type { EventFamily } from '../event-api/families.js'
import type { ResourceType } from '../platform/urls/resource-urls.js'
import type { Terminology } from '../terminology/terminology.js'

export interface DocumentedEvent extends EventDoc, Pick<EventFamily, 'kind' | 'subject' | 'owner'> {
  type: string
  example: CloudEvent
}

export const refTo = (part: string, name: string) => ({ $ref: `#/${part}/${name}` })

export const messageOf = ({ type, when }: DocumentedEvent) => ({
  name: type,
  title: type,
  summary: when,
  payload: refTo('components/schemas', type)
})

/** The JSON Schema (draft 7) of the events of a type, with an example. */
export function eventSchema(event: DocumentedEvent, codesOf: Terminology['codes']): object {
  const { type, when, subject, example } = event
  const traceparent = CloudEvent.properties.traceparent.example
  return {
    title: type,
    description: when,
    type: 'object',
    required: CloudEvent.required,
    properties: {
      ...mapMembers(CloudEvent.properties, withoutExample),
      specversion: constant(CloudEvent.properties.specversion, '1.0'),
      source: { ...withoutExample(CloudEvent.properties.source), format: 'uri' },
      type: { ...constant(CloudEvent.properties.type, type), description: 'Type of the event.' },
      subject: urlOf(CloudEvent.properties.subject, subject),
      datacontenttype: constant(CloudEvent.properties.datacontenttype, 'application/json'),
      data: dataSchema(event, codesOf)
    },
    examples: [{ ...example, traceparent }]
  }
}

function dataSchema(
  { kind, changes, subject, owner, ...event }: DocumentedEvent,
  codesOf: Terminology['codes']
): object {
  const { oldStatus, newStatus, attention, hasRelatedTo } = event
  const members = EventData.properties
  const properties = {
    kind: constant(members.kind, kind),
    change: { ...withoutExample(members.change), enum: changes },
    url: urlOf(members.url, subject),
    ...(owner && { [owner.member]: urlOf(members[owner.member], owner.resource) }),
    ...(oldStatus && { oldStatus: codeSchema('Code of the status before.', oldStatus, codesOf) }),
    ...(newStatus && { newStatus: codeSchema('Code of the status after.', newStatus, codesOf) }),
    ...(attention && {
      attention: codeSchema('Code of the cause, from the value set order-attention.', attention, codesOf)
    }),
    ...(hasRelatedTo && { relatedTo: { ...urlOf(members.relatedTo, subject), description: relatedTo } })
  }
  const optional = oldStatus?.absent === undefined ? [] : ['oldStatus']
  return {
    description: EventData.description,
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties
  }
}

const relatedTo =
  'URL of the line that delivered the device that the line is about. Null if the line is about no device, or if the reader does not see the delivering line.'

const codeSchema = (description: string, { codes, absent }: EventCodes, codesOf: Terminology['codes']) => ({
  type: 'string',
  enum: typeof codes === 'string' ? codesOf(codes) : codes,
  description: absent === undefined ? description : `${description} ${absent}`
})

/** A schema without its example, which JSON Schema does not have. */
const withoutExample = ({ example: _, ...schema }: TSchema) => schema

const constant = (schema: TSchema, value: string) => ({ ...withoutExample(schema), const: value })

const urlOf = (schema: TSchema, { path }: ResourceType) => ({
  ...withoutExample(schema),
  pattern: `/v1/${path}/[^/]+$`
})

const mapMembers = (members: Readonly<Record<string, TSchema>>, map: (schema: TSchema) => object) =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, map(schema)]))
