import { validateSettings } from './checks.js'
import { type Config, toConfig } from './config.js'
import { readSettings } from './read.js'
import { removedSettings } from './settings.js'

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
  const { settings, errors } = readSettings(nonEmpty(env))
  errors.push(...validateSettings(settings))
  if (errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(toConfig(settings))
}

/** The settings of the environment that no longer exist. They have no effect. */
export const removedSettingsIn = (env: Environment = process.env): string[] =>
  removedSettings.filter((name) => env[name])

/**
 * Reads the only settings of operator commands.
 * @throws ConfigError if one has another value than the program accepts.
 */
export function loadDatabaseConfig(env: Environment = process.env) {
  const { DATABASE_URL, DATABASE_POOLER, DATABASE_SERVER_ROLE, DATA_DIR, EVENTS_KEPT } = env
  const { settings, errors } = readSettings(
    nonEmpty({ DATABASE_URL, DATABASE_POOLER, DATABASE_SERVER_ROLE, DATA_DIR, EVENTS_KEPT })
  )
  if (errors.length > 0) throw new ConfigError(errors)
  return {
    url: settings.DATABASE_URL,
    pooler: settings.DATABASE_POOLER,
    dataDir: settings.DATA_DIR,
    serverRole: settings.DATABASE_SERVER_ROLE,
    eventsKeptDays: settings.EVENTS_KEPT
  }
}

/** An empty variable is no setting. */
const nonEmpty = (env: Environment) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
