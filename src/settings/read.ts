import type { TSchema } from '@sinclair/typebox'
import { type EnvSchemaData, envSchema } from 'env-schema'
import { Settings } from './settings.js'

/**
 * Converts the texts of the environment into settings and collects the fault of every text that is not allowed. A
 * setting with a fault gets its default, so that the checks of the other settings still run.
 */
export function readSettings(given: EnvSchemaData): { settings: Settings; faults: string[] } {
  const read = (data: EnvSchemaData) => envSchema<Settings>({ schema: Settings, data, env: false })
  try {
    return { settings: read(given), faults: [] }
  } catch (error) {
    const wrong = wrongNames(error)
    const usable = Object.entries(given).filter(([name]) => !wrong.has(name))
    return { settings: read(Object.fromEntries(usable)), faults: [...wrong].map(expectation) }
  }
}

/** The names of the settings that Ajv, which env-schema runs with `allErrors`, reports. */
function wrongNames(error: unknown): Set<string> {
  const { errors } = error as { errors?: { instancePath: string }[] }
  if (errors === undefined) throw error
  return new Set(errors.map(({ instancePath }) => instancePath.slice(1)))
}

function expectation(name: string): string {
  const schema: TSchema | undefined = Settings.properties[name as keyof Settings]
  if (Array.isArray(schema?.enum)) return `${name} must be one of ${schema.enum.join(', ')}`
  if (schema?.type === 'integer')
    return `${name} must be a whole number from ${schema.minimum} to ${schema.maximum}`
  if (schema?.type === 'boolean') return `${name} must be true or false`
  return `${name} has a form that is not allowed`
}
