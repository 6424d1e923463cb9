import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../src/platform/program/program.js'

const folder = join(projectRoot, '.ci')

/** A reason to skip what needs a package of `.ci/package.json`. */
export const missingTools =
  !existsSync(join(folder, 'node_modules')) && 'a package of .ci is not installed: npm ci --prefix .ci'

/** Loads a package of `.ci/package.json`. */
export const requireTool = createRequire(join(folder, 'package.json'))
