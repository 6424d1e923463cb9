import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bundle } from '../../scripts/bundle.js'
import { temporaryFolder } from '../fixtures/server.js'

t.test('a build keeps the files of earlier builds for programs that still run', async (t) => {
  const folder = temporaryFolder(t)
  const target = join(folder, 'program')
  const source = join(folder, 'main.ts')
  const made = async (text: string) => {
    writeFileSync(source, `export {}\nconsole.log((await import('./${text}.js')).text)\n`)
    writeFileSync(join(folder, `${text}.ts`), `export const text = '${text}'\n`)
    await bundle(target, { main: source })
  }
  const builds = () => readdirSync(target).filter((name) => name.startsWith('build-'))
  const said = (file: string) => spawnSync('node', [join(target, file)], { encoding: 'utf8' }).stdout.trim()
  const contents = (name: string) =>
    readdirSync(join(target, name)).map((file) => [file, readFileSync(join(target, name, file), 'utf8')])

  await made('first')
  const [first = ''] = builds()
  t.equal(said('main.js'), 'first')
  const before = [contents(first), statSync(join(target, first, 'main.js')).ino]

  await made('first')
  t.same(builds(), [first], 'the same sources give the same build')
  await made('second')
  t.equal(said('main.js'), 'second')
  t.equal(builds().length, 2)
  t.same([contents(first), statSync(join(target, first, 'main.js')).ino], before)
  t.equal(said(join(first, 'main.js')), 'first', 'the earlier build loads its parts')

  for (let at = 0; at < 12; at++) await made(`next${at}`)
  t.equal(builds().length, 11, 'ten earlier ones are kept')
  t.equal(said('main.js'), 'next11')
})
