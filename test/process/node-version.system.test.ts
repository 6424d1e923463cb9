import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'
import { temporaryFolder } from '../fixtures/server.js'

const check = 'src/node-version.cjs'
const { engines, scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const folder = temporaryFolder(t)

/** Runs a file in a Node that reports this version. */
function runWith(version: string, file: string) {
  const preload = join(mkdtempSync(join(folder, 'fake-')), 'version.cjs')
  const versions = `{ ...process.versions, node: '${version}' }`
  writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  const env = { PATH: process.env.PATH }
  const { status, stderr } = spawnSync('node', ['--require', preload, file], { env, encoding: 'utf8' })
  return { status, stderr }
}

t.test('accepts the versions of package.json and rejects others', async (t) => {
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '24.0.0', '26.1.0'])
    t.same(runWith(version, check), { status: 0, stderr: '' }, version)
  for (const version of ['18.20.8', '20.9.0', '20.18.3', '21.7.3', '22.11.0', '23.11.0']) {
    const stderr = `This is Node ${version}. Install Node ${engines.node} from https://nodejs.org and start again.\n`
    t.same(runWith(version, check), { status: 1, stderr }, version)
  }
})

t.test('the built program checks the version before it loads other modules', async (t) => {
  const { status, stderr } = runWith('20.18.0', MAIN_PROGRAM)
  t.equal(status, 1)
  t.match(stderr, /^This is Node 20\.18\.0\. .*\n$/, 'one sentence')
})

t.test('each command checks the version before it loads the program', async (t) => {
  for (const name of ['build', 'dev', 'demo', 'token', 'test', 'openapi', 'db:generate'])
    t.ok(scripts[name].startsWith(`node ${check} && `), name)
  t.match(scripts.start, /^node scripts\/before-start\.cjs && /)
  t.match(
    readFileSync('scripts/before-start.cjs', 'utf8'),
    /^(\/\/.*\n)+require\('..\/src\/node-version.cjs'\)\n/
  )
})

t.test('the image runs on a supported version', async (t) => {
  const images = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM node:(\d+)-/gm)]
  t.equal(images.length, 2)
  for (const [, major] of images) t.equal(runWith(`${major}.99.0`, check).status, 0)
})
