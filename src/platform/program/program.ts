import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, both for `src` and for the build below `dist`. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('No package.json above the program. Install the program completely.')
  return findRoot(parent)
}

/** The running version, so that operators can compare instances. */
export interface Version {
  version: string
  /** The commit that was built, or unknown. */
  commit: string
  node: string
}

/** Set by the build. Undefined when run from source. */
declare const BUILD_COMMIT: string | undefined

export function programVersion(): Version {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Version
  const commit = typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : 'unknown'
  return { version, commit, node: process.versions.node }
}
