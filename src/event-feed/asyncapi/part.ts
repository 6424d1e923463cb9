import type { JsonRecord } from '../../platform/openapi/swagger-schema.js'

/** Entries that a way of getting events adds to the document. */
export interface AsyncApiPart {
  servers: JsonRecord
  channels: JsonRecord
  operations: JsonRecord
  messages: JsonRecord
  schemas: JsonRecord
}

/** A reference within the document. */
export const ref = (path: string): JsonRecord => ({ $ref: `#/${path}` })

/** The message of an event of this type, whose schema has the name of the type. */
export const eventMessage = (type: string, summary: string) => ({
  name: type,
  title: type,
  summary,
  payload: ref(`components/schemas/${type}`)
})
