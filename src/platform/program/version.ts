import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.js'

/** What runs: for operators who compare instances. */
export interface Version {
  /** Of package.json. */
  version: string
  /** The commit that was built, or unknown. */
  commit: string
  node: string
}

/** Set by the build. Undefined when the sources run. */
declare const BUILD_COMMIT: string | undefined

/** The version of this program. */
export function programVersion(): Version {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Version
  const commit = typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : 'unknown'
  return { version, commit, node: process.versions.node }
}
