import type { TSchema } from '@sinclair/typebox'
import { type EnvSchemaData, envSchema } from 'env-schema'
import { Settings } from './settings.js'

/**
 * Converts environment variables to settings and collects the errors of invalid ones. An invalid
 * setting gets its default, so that the other settings can be validated.
 */
export function readSettings(given: EnvSchemaData): { settings: Settings; errors: string[] } {
  const read = (data: EnvSchemaData) => envSchema<Settings>({ schema: Settings, data, env: false })
  try {
    return { settings: read(given), errors: [] }
  } catch (error) {
    const invalid = invalidNames(error)
    const valid = Object.entries(given).filter(([name]) => !invalid.has(name))
    return { settings: read(Object.fromEntries(valid)), errors: [...invalid].map(expectation) }
  }
}

/** The names of invalid settings. env-schema runs Ajv with `allErrors`. */
function invalidNames(error: unknown): Set<string> {
  const { errors } = error as { errors?: { instancePath: string }[] }
  if (errors === undefined) throw error
  return new Set(errors.map(({ instancePath }) => instancePath.slice(1)))
}

function expectation(name: string): string {
  const schema: TSchema | undefined = Settings.properties[name as keyof Settings]
  if (Array.isArray(schema?.enum)) return `${name} must be one of ${schema.enum.join(', ')}`
  if (schema?.type === 'integer')
    return `${name} must be a whole number from ${schema.minimum} to ${schema.maximum}`
  if (schema?.type === 'number') return `${name} must be a number from ${schema.minimum} to ${schema.maximum}`
  if (schema?.type === 'boolean') return `${name} must be true or false`
  return `${name} has an invalid format`
}
