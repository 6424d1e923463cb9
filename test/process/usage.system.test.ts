import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../src/platform/program/program.js'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'

const tsx = join(projectRoot, 'node_modules', '.bin', 'tsx')

/** Runs a program without settings. */
const run = (file: string, args: readonly string[]) =>
  spawnSync(file, args, { cwd: projectRoot, encoding: 'utf8', env: { PATH: process.env.PATH } })

for (const name of [
  'build',
  'client',
  'db-generate',
  'demo',
  'docs',
  'openapi',
  'openapi-diff',
  'pack',
  'test',
  'token'
])
  t.test(`scripts/${name} prints its usage`, async (t) => {
    const script = join('scripts', `${name}.ts`)
    t.match(run(tsx, [script, '--help']), { status: 0, stdout: /^Usage: npm /, stderr: '' })
    t.match(run(tsx, [script, '--colour']), { status: 2, stdout: '', stderr: /--colour.*\n\nUsage: npm /s })
  })

t.test('the program prints its usage', async (t) => {
  for (const command of [[], ['migrate'], ['operator'], ['operator', 'patient', 'erase']])
    t.match(run('node', [MAIN_PROGRAM, ...command, '--help']), {
      status: 0,
      stdout: /^Usage: node dist\/program\/main\.js /,
      stderr: ''
    })
  t.match(run('node', [MAIN_PROGRAM, 'migrate', '--colour']), {
    status: 2,
    stderr: /^migrate takes no arguments/
  })
})
