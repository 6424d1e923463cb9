import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { envSchema } from 'env-schema'

/**
 * Reads each setting from its text. One whose form is wrong is named among the faults and replaced by its default here, so that
 * the other checks still run and speak.
 */
export function readSettings<T extends TObject>(settings: T, given: Record<string, string | undefined>) {
  const faults: string[] = []
  const usable = { ...given }
  for (const [name, schema] of Object.entries(settings.properties)) {
    if (given[name] === undefined) continue
    const alone = Type.Object({ [name]: schema })
    try {
      envSchema({ schema: alone, data: { [name]: given[name] }, env: false })
    } catch {
      faults.push(`${name} ${expectation(schema)}`)
      delete usable[name]
    }
  }
  return { settings: envSchema<Static<T>>({ schema: settings, data: usable, env: false }), faults }
}

function expectation(schema: TSchema): string {
  if (Array.isArray(schema.enum)) return `must be one of ${schema.enum.join(', ')}`
  if (schema.type === 'integer') return `must be a whole number from ${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'boolean') return 'must be true or false'
  return 'has a form that is not allowed'
}
