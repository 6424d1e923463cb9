import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packProgram } from './pack/program.js'

/*
 * Makes the archive of this version in `dist/release`, and the folder that it holds, which the image
 * has as well.
 */

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const release = join('dist', 'release')
const folder = `${name}-${version}`
await packProgram(join(release, folder))
const archive = join(release, `${folder}.tar.gz`)
const { status } = spawnSync('tar', ['-czf', archive, '-C', release, folder], {
  stdio: ['ignore', 'ignore', 'inherit']
})
if (status !== 0) throw new Error(`tar could not write ${archive}.`)
process.stdout.write(`${archive}\n`)
