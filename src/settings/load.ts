import { validateSettings } from './checks.js'
import { type Config, toConfig } from './config.js'
import { readSettings } from './read.js'

/** The database URL, the only setting of operator commands. */
export const databaseUrl = (env: Readonly<Record<string, string | undefined>> = process.env) =>
  env.DATABASE_URL || undefined

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
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  )
  const { settings, errors } = readSettings(given)
  errors.push(...validateSettings(settings))
  if (errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(toConfig(settings))
}
