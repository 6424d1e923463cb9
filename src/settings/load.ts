import { validateSettings } from './checks.js'
import { type Config, toConfig } from './config.js'
import { readSettings } from './read.js'

/** The database that commands for operators work on; they need no other setting. */
export const databaseUrl = (env: Readonly<Record<string, string | undefined>> = process.env) =>
  env.DATABASE_URL || undefined

/** Thrown when settings are missing or wrong; carries every fault, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly errors: readonly string[]) {
    super(`The settings are not usable:\n${errors.map((fault) => `  ${fault}`).join('\n')}`)
  }
}

/**
 * Reads and checks all settings from environment variables.
 * @throws ConfigError naming all faults at once.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  )
  const { settings, faults } = readSettings(given)
  faults.push(...validateSettings(settings))
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(toConfig(settings))
}
