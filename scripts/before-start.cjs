// Runs before `npm start`. In a checkout with its development packages the program is built, so that what starts is what the sources
// say. An installation without them, as in an image, starts what was built before.
require('../src/node-version.cjs')
const { spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')

const root = join(__dirname, '..')

function find(name) {
  try {
    return createRequire(join(root, 'package.json')).resolve(name)
  } catch {
    return undefined
  }
}

const isCheckout = existsSync(join(root, 'scripts', 'build.ts'))
const canBuild = isCheckout && find('tsx/cli') !== undefined && find('esbuild') !== undefined
if (canBuild) {
  const build = spawnSync(process.execPath, [find('tsx/cli'), join(root, 'scripts', 'build.ts')], {
    cwd: root,
    stdio: 'inherit'
  })
  process.exitCode = build.status ?? 1
} else if (!existsSync(join(root, 'dist', 'program', 'main.js'))) {
  console.error(
    'The program is not built. Run `npm ci && npm run build` where the development packages may be installed.'
  )
  process.exitCode = 1
}
