import { type TSchema, Type } from '@sinclair/typebox'
import type { EventType } from '../../events/event-types.js'
import { eachSchema, exampleOf, type JsonRecord } from '../../platform/openapi/swagger-schema.js'
import type { ResourceType } from '../../platform/rest/resource-urls.js'
import { exampleUrl, resolveExampleUrls } from '../../platform/schemas/examples.js'
import { Enum } from '../../platform/schemas/schemas.js'
import { CloudEvent, EventData } from '../event-feed.schemas.js'
import { families, familyOf } from '../families.js'
import { type TypeDescription, typeDescriptions } from './type-descriptions.js'

/** What the schema of an event states besides the members of all events. */
export interface EventShape extends TypeDescription {
  type: string
  kind: string
  subject: ResourceType
  /** The owner of the subject, as a member of the data. */
  owner?: { member: string; resource: ResourceType } | undefined
}

/** The shape of the events of a type of the ledger. */
export function shapeOf(type: EventType): EventShape {
  const family = families[familyOf(type)]
  if (!family) throw new Error(`No family has the type ${type}`)
  const { kind, subject, owner } = family
  return { ...typeDescriptions[type], type, kind, subject, owner }
}

/**
 * The JSON Schema (draft 7) of an event in the JSON format of CloudEvents. Readers ignore members
 * that they do not know, so it allows others.
 * @param source base URL of the API.
 * @param baseUrls base URLs by the placeholders of examples.
 */
export function eventSchema(
  shape: EventShape,
  source: string,
  baseUrls: Readonly<Record<string, string>>
): JsonRecord {
  const { type, subject, when } = shape
  const { properties } = CloudEvent
  const schema = Type.Object(
    {
      ...properties,
      specversion: constant(properties.specversion, '1.0'),
      source: { ...properties.source, format: 'uri', example: source },
      type: constant(Type.String({ description: 'Type of the event.' }), type),
      subject: urlOf(properties.subject, subject),
      datacontenttype: constant(properties.datacontenttype, 'application/json'),
      data: dataSchema(shape)
    },
    { title: type, description: when }
  )
  return { ...withoutExamples(schema), examples: [resolveExampleUrls(exampleOf(schema), baseUrls)] }
}

function dataSchema({ kind, subject, owner, changes, oldStatus, newStatus }: EventShape): TSchema {
  const { properties } = EventData
  const { order, catalogue, buyer } = properties
  const owners: Readonly<Record<string, TSchema>> = { order, catalogue, buyer }
  const [first = 'changed'] = changes
  const change = {
    ...Enum(changes, properties.change.description ?? ''),
    example: changes.includes('changed') ? 'changed' : first
  }
  const members: Record<string, TSchema> = {
    kind: constant(properties.kind, kind),
    change,
    url: urlOf(properties.url, subject)
  }
  if (owner) members[owner.member] = urlOf(owners[owner.member] ?? properties.url, owner.resource)
  if (oldStatus) {
    const text = 'Code of the status before.'
    members.oldStatus = changes.includes('created')
      ? Type.Optional(status(`${text} Absent if the resource was created.`, oldStatus))
      : status(text, oldStatus)
  }
  if (newStatus) members.newStatus = status('Code of the status after.', newStatus)
  return Type.Object(members, { description: EventData.description ?? '' })
}

const constant = ({ description = '' }: TSchema, value: string): TSchema =>
  Type.Literal(value, { description, example: value })

const status = (description: string, codes: readonly string[]): TSchema => ({
  ...Enum(codes, description),
  example: codes[0]
})

/** The URL of a resource of this type, in either form of addressing. */
const urlOf = ({ description = '' }: TSchema, resource: ResourceType): TSchema =>
  Type.String({
    description,
    format: 'uri',
    pattern: `/v1/${resource.path}/[^/]+$`,
    example: exampleUrl(resource, resource.path)
  })

/** Removes `example`, which is a keyword of OpenAPI 2.0 and not of JSON Schema. */
const withoutExamples = (schema: JsonRecord): JsonRecord =>
  eachSchema(schema, ({ example: _, ...others }) => others) as JsonRecord
