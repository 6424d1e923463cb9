/** The part of an OpenAPI 2.0 schema from which the types of the client are made. */
export interface ClientSchema {
  $ref?: string
  allOf?: ClientSchema[]
  type?: string
  enum?: unknown[]
  items?: ClientSchema
  properties?: Record<string, ClientSchema>
  required?: string[]
  additionalProperties?: boolean | ClientSchema
  description?: string
  'x-nullable'?: boolean
  'x-null-only'?: boolean
  'x-alternative-types'?: string[]
}
export type Definitions = Record<string, ClientSchema>

const nameOf = ($ref: string) => $ref.replace('#/definitions/', '')

/** Prints schemas as TypeScript types. A coding of a closed set may also be its code. */
export function typePrinter(definitions: Definitions): (schema: ClientSchema) => string {
  function reference(name: string): string {
    const { properties, 'x-alternative-types': types = [] } = definitions[name] ?? {}
    return types.includes('string') && properties?.code ? `${name} | ${name}['code']` : name
  }

  function shape(schema: ClientSchema): string {
    const { $ref, allOf, type, items, properties, additionalProperties } = schema
    if ($ref) return reference(nameOf($ref))
    if (allOf) return allOf.map(print).join(' & ')
    if (schema.enum) return schema.enum.map((code) => JSON.stringify(code)).join(' | ')
    if (type === 'array') return `readonly (${print(items ?? {})})[]`
    if (type === 'integer') return 'number'
    if (type !== 'object') return type ?? 'unknown'
    if (properties && Object.keys(properties).length > 0) return `{ ${members(schema)} }`
    return typeof additionalProperties === 'object'
      ? `Record<string, ${print(additionalProperties)}>`
      : 'object'
  }

  const members = ({ properties = {}, required = [] }: ClientSchema) =>
    Object.entries(properties)
      .map(([name, each]) => {
        const isOptional = !required.includes(name)
        return `${docComment(each.description)}${memberName(name)}${isOptional ? '?' : ''}: ${print(each)}${isOptional ? ' | undefined' : ''}`
      })
      .join('\n')

  function print(schema: ClientSchema): string {
    if (schema['x-null-only']) return 'null'
    const others =
      schema.type === 'array' && schema['x-alternative-types']?.includes('string') ? ['string'] : []
    return [shape(schema), ...others, ...(schema['x-nullable'] ? ['null'] : [])].join(' | ')
  }
  return print
}

/** The name of a member, quoted unless it is an identifier. */
export const memberName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A documentation comment. */
export const docComment = (text = '') =>
  text === '' ? '' : `/** ${text.replaceAll('*/', '*').replaceAll('\n', ' ')} */\n`
