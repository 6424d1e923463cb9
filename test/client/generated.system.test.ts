import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../src/platform/program/program.js'

t.test('the client compiles without the project', async (t) => {
  const { default: compiler } = await import(join(projectRoot, 'node_modules/typescript/lib/getExePath.js'))
  const args = ['--project', join('clients', 'typescript'), '--noEmit']
  const { status, stdout, stderr } = spawnSync(compiler(), args, { encoding: 'utf8' })
  t.equal(`${stdout}${stderr}`, '')
  t.equal(status, 0)
})
