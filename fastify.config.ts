/*
 * The configuration of the service. `Settings` lists every setting with its default; `loadConfig` reads and
 * checks the environment.
 */
export type { Config, Limits } from './src/settings/config.js'
export { ConfigError, loadConfig } from './src/settings/load.js'
export { Settings } from './src/settings/settings.js'
