import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../fixtures/server.js'

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
