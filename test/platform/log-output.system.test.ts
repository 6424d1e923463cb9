import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import t from 'tap'

t.test('log lines are written when the program ends, whatever ends it', async (t) => {
  const module = resolve('src/platform/logging/log-output.ts')
  for (const end of ['process.exit(3)', 'throw new Error()', 'process.exitCode = 3']) {
    const code = `import { logOutput } from '${module}'
      const output = logOutput()
      for (let line = 0; line < 2000; line++) output.write(line + '\\n')
      ${end}`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', code]
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    t.not(status, 0, end)
    t.same(stdout.trim().split('\n'), Array.from(Array(2000).keys(), String), end)
  }
})
