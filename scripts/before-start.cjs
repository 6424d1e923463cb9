// Runs before `npm start`. In a checkout with its development packages it builds the program, so
// that the current sources start. An installation without development packages, such as an image,
// starts the existing build.
require('../src/node-version.cjs')
const { spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')

const root = join(__dirname, '..')

function resolvePackage(name) {
  try {
    return createRequire(join(root, 'package.json')).resolve(name)
  } catch {
    return undefined
  }
}

const isCheckout = existsSync(join(root, 'scripts', 'build.ts'))
const canBuild =
  isCheckout && resolvePackage('tsx/cli') !== undefined && resolvePackage('esbuild') !== undefined
if (canBuild) {
  const build = spawnSync(process.execPath, [resolvePackage('tsx/cli'), join(root, 'scripts', 'build.ts')], {
    cwd: root,
    stdio: 'inherit'
  })
  process.exitCode = build.status ?? 1
} else if (!existsSync(join(root, 'dist', 'program', 'main.js'))) {
  console.error(
    'The program is not built. Run `npm ci && npm run build` on a machine with the development packages.'
  )
  process.exitCode = 1
}
