import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { GENERATED_FOLDER, generateClient } from '../../scripts/client/generate.js'
import { projectRoot } from '../../src/platform/util/project-root.js'

t.test('the recorded client is up to date', async (t) => {
  const recorded = readdirSync(GENERATED_FOLDER)
  t.same([...generateClient().keys()].sort(), recorded.sort())
  for (const [file, text] of generateClient())
    t.equal(
      readFileSync(join(GENERATED_FOLDER, file), 'utf8'),
      text,
      `to record a change of ${file}: npm run client`
    )
})

t.test('the client compiles on its own, without any', async (t) => {
  const folder = join('clients', 'typescript')
  const { default: compiler } = await import(join(projectRoot, 'node_modules/typescript/lib/getExePath.js'))
  const args = ['--project', folder, '--noEmit']
  const { status, stdout, stderr } = spawnSync(compiler(), args, { encoding: 'utf8' })
  t.equal(`${stdout}${stderr}`, '')
  t.equal(status, 0)
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
  for (const file of sources.filter((name) => name.endsWith('.ts')))
    t.notMatch(readFileSync(join(folder, 'src', file), 'utf8'), /[:<|] *any\b/, file)
})
