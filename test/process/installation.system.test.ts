import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bundle } from '../../scripts/bundle.js'
import { packProgram } from '../../scripts/pack/program.js'
import { cloneDatabase } from '../fixtures/app.js'
import { readyServer, temporaryFolder } from '../fixtures/server.js'

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

t.test('npm start works without development packages', async (t) => {
  const folder = temporaryFolder(t)
  for (const file of ['package.json', 'src/node-version.cjs', 'scripts/before-start.cjs', 'scripts/build.ts'])
    cpSync(file, join(folder, file))
  const start = () =>
    spawnSync('npm', ['start', '--silent'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH }
    })

  const unbuilt = start()
  t.equal(unbuilt.status, 1)
  t.match(unbuilt.stderr, /^The program is not built\. Run `npm ci && npm run build`/, 'says what to do')

  mkdirSync(join(folder, 'dist', 'program'), { recursive: true })
  writeFileSync(join(folder, 'dist', 'program', 'main.js'), `process.stdout.write('started')`)
  t.match(start(), { status: 0, stdout: 'started' }, 'starts what was built')
})

t.test('an installation runs with only its own files', async (t) => {
  const folder = join(temporaryFolder(t), 'ssl-backend')
  await packProgram(folder)
  const packages = readdirSync(join(folder, 'node_modules'))
  t.ok(packages.includes('exceljs'))
  t.notOk(packages.includes('fastify'), 'it is in the bundle')
  t.notOk(packages.includes('tap'))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  t.same(
    files.filter((file) => /\.(map|d\.ts)$/.test(file)),
    []
  )
  t.match(JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')), { bomFormat: 'CycloneDX' })
  const [, program = ''] = JSON.parse(/^CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '[]')
  const server = await readyServer(t, { DATABASE_URL: await cloneDatabase(t) }, [
    'node',
    join(folder, program)
  ])
  for (const path of ['ssl-catalogue-excel/v1/upload', 'ssl-order/v1/docs/', 'pages/desk.js', '']) {
    const response = await fetch(`${server.url}/${path}`)
    await response.arrayBuffer()
    t.equal(response.status, 200, `/${path}`)
  }
  t.equal(await server.stop(), 0)
})
