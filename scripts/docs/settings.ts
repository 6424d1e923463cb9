import type { TSchema } from '@sinclair/typebox'
import { Settings } from '../../fastify.config.js'
import { markdownTable } from '../../src/platform/openapi/text.js'

const settings: readonly [name: string, schema: TSchema][] = Object.entries(Settings.properties)

/** Every setting with its default, allowed values and description. */
export const settingTable = (): string =>
  markdownTable(
    ['setting', 'default', 'values', 'meaning'],
    settings.map(([name, schema]) => [
      `\`${name}\``,
      hasDefault(schema) ? `\`${schema.default}\`` : '',
      valuesOf(schema),
      schema.description ?? ''
    ])
  )

const hasDefault = ({ default: initial }: TSchema) => initial !== undefined && initial !== ''

function valuesOf({ type, enum: choices, minimum, maximum }: TSchema): string {
  if (choices) return choices.join(', ')
  if (type === 'boolean') return 'true, false'
  if (type === 'number') return `${minimum} to ${maximum}`
  if (type !== 'integer') return ''
  return maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `${minimum} to ${maximum}`
}
