import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { freePort, readyServer } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'

t.test('log lines are written when the program ends, for any cause', async (t) => {
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

t.test('a log that is not read stops no request, and reports the lines that it lost', async (t) => {
  const METRICS_PORT = String(await freePort())
  const env = { DATABASE_URL: await cloneDatabase(t), LOG_LEVEL: 'info', METRICS_PORT }
  const server = await readyServer(t, env)
  const { stdout } = server.process
  stdout?.pause()
  const lost = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
    return Number(/^ssl_log_lost_lines_total\S* (\d+)/m.exec(metrics)?.[1] ?? 0)
  }
  let requests = 0
  const send = async () => {
    const { status } = await fetch(`${server.url}/nowhere`, { signal: AbortSignal.timeout(60_000) })
    if (status !== 404) t.fail(`status ${status}`)
    requests++
  }
  const sendUntilLost = async (before: number) => {
    while ((await lost()) === before) await Promise.all(Array.from({ length: 100 }, send))
  }
  await sendUntilLost(0)

  stdout?.resume()
  const lines = () => server.output().split('\n')
  const logged = () => lines().filter((line) => line.includes('"route":"none"')).length
  const reported = () =>
    lines().reduce(
      (sum, line) => sum + Number(/"lines":(\d+),"msg":"Log lines were lost/.exec(line)?.[1] ?? 0),
      0
    )
  await until(() => logged() + reported() >= requests)
  t.equal(logged() + reported(), requests)
  t.equal(reported(), await lost())

  const ended = once(server.process, 'exit')
  stdout?.pause()
  await sendUntilLost(reported())
  server.process.kill('SIGTERM')
  t.same(await ended, [0, null], 'ends although its log is not read')
  stdout?.resume()
})
