import type { TSchema } from '@sinclair/typebox'
import { envSchema } from 'env-schema'
import { databaseUrlError } from '../db/database-url.js'
import { validateSettings } from './checks.js'
import { type Config, toConfig } from './config.js'
import { Settings } from './settings.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Thrown when settings are missing or invalid. The message has one line for each error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly errors: readonly string[]) {
    super(`Invalid settings:\n${errors.map((error) => `  ${error}`).join('\n')}`)
  }
}

/**
 * Reads and validates the settings from environment variables.
 * @throws ConfigError with all errors.
 */
export function loadConfig(env: Environment = process.env): Config {
  const { settings, errors } = readSettings(env)
  errors.push(...validateSettings(settings))
  if (errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(toConfig(settings))
}

/**
 * Reads the only settings of operator commands.
 * @throws ConfigError for invalid values.
 */
export function loadDatabaseConfig(env: Environment = process.env) {
  const { ENVIRONMENT, DATABASE_URL, DATA_DIR, DATABASE_POOLER, DATABASE_SERVER_ROLE, EVENTS_KEPT } = env
  const given = { ENVIRONMENT, DATABASE_URL, DATA_DIR, DATABASE_POOLER, DATABASE_SERVER_ROLE, EVENTS_KEPT }
  const { settings, errors } = readSettings(given)
  const urlError = settings.DATABASE_URL && databaseUrlError(settings.DATABASE_URL)
  if (urlError) errors.push(`DATABASE_URL ${urlError}`)
  if (errors.length > 0) throw new ConfigError(errors)
  return {
    url: settings.DATABASE_URL,
    /** Undefined outside devtest, where the service does not use the embedded database. */
    dataDir: settings.ENVIRONMENT === 'devtest' ? settings.DATA_DIR : undefined,
    pooler: settings.DATABASE_POOLER,
    serverRole: settings.DATABASE_SERVER_ROLE,
    eventsKeptDays: settings.EVENTS_KEPT,
    /** The account that called sudo. Not a setting, because sudo sets the variable. */
    sudoUser: env.SUDO_USER || undefined
  }
}

/**
 * Converts environment variables to settings and collects the errors of invalid ones. An invalid
 * setting gets its default, so that the other settings can be validated.
 */
function readSettings(env: Environment): { settings: Settings; errors: string[] } {
  // An empty variable counts as missing.
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  const read = (data: typeof given) =>
    envSchema<Settings>({ schema: Settings, data: Object.fromEntries(data), env: false })
  try {
    return { settings: read(given), errors: [] }
  } catch (error) {
    const invalid = invalidNames(error)
    const settings = read(given.filter(([name]) => !invalid.has(name)))
    return { settings, errors: [...invalid].map(expectation) }
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
