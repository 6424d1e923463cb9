import { isDeepStrictEqual } from 'node:util'
import type { ErrorObject } from 'ajv'
import { eachSchema, isObject, type JsonRecord } from './swagger-schema.js'

/** One of the alternatives of a discriminator. Each has its own values of the tag. */
interface Alternative {
  properties: Readonly<Record<string, { enum: string[] }>>
  required: readonly string[]
  additionalProperties?: boolean
}

interface Discriminated extends JsonRecord {
  oneOf: readonly [Alternative, ...Alternative[]]
  properties?: object
  required: readonly string[]
}

/**
 * Adds the members that all alternatives require to the discriminated schema. Ajv checks no
 * alternative of an invalid tag, so the tag would hide all other errors.
 */
export const withSharedMembers = (schema: object): object =>
  eachSchema(schema, (each) => {
    if (!isObject(each.discriminator)) return each
    const { oneOf, properties, required } = each as Discriminated
    const [first, ...others] = oneOf
    const isShared = (name: string) =>
      others.every((other) => isDeepStrictEqual(other.properties[name], first.properties[name]))
    const names = new Set(oneOf.flatMap((alternative) => Object.keys(alternative.properties)))
    const members = [...names].map((name) => [name, isShared(name) ? first.properties[name] : {}])
    const shared = first.required.filter((name) => others.every((other) => other.required.includes(name)))
    return {
      ...each,
      ...(oneOf.every((one) => one.additionalProperties === false) && { additionalProperties: false }),
      properties: { ...Object.fromEntries(members), ...properties },
      required: [...new Set([...required, ...shared])]
    }
  }) as object

/**
 * The errors of a verbose validator, each error once. Ajv does not report the allowed values of a
 * tag; a missing tag is a missing member.
 */
export function withTagErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const found = errors
    .filter(({ keyword, params }) => keyword !== 'discriminator' || params.tagValue !== undefined)
    .map((error) => (error.keyword === 'discriminator' ? withTagValues(error) : error))
  const keyOf = ({ keyword, instancePath, params }: ErrorObject) =>
    JSON.stringify([keyword, instancePath, params])
  return [...new Map(found.map((error) => [keyOf(error), error])).values()]
}

function withTagValues(error: ErrorObject): ErrorObject {
  const { oneOf } = error.parentSchema as Discriminated
  const allowedValues = oneOf.flatMap(({ properties }) => properties[error.params.tag]?.enum ?? [])
  return { ...error, params: { ...error.params, allowedValues } }
}
