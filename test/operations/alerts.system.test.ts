import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { type Caller, callersOf, tokenOf } from '../fixtures/callers.js'
import { recordingServer } from '../fixtures/clinical.js'
import { excel } from '../fixtures/excel/client.js'
import {
  config,
  configFile,
  dashboard,
  metricsIn,
  rules,
  rulesFile,
  runbook,
  unitTestsFiles
} from '../fixtures/prometheus/documents.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { newWorkbook } from '../fixtures/routes/bodies.js'
import { runningDatabase } from '../fixtures/running-database.js'
import { freePort, type Server, startServer, temporaryFolder } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'
import { catalogue, clinicalIn, orders, party } from '../fixtures/world.js'

/** The reason to skip a test with Prometheus; false to run it. */
const skip = ['prometheus', 'promtool'].some((name) => spawnSync(name, ['--version']).error)
  ? 'prometheus is not installed; .ci/run installs it'
  : false

/** Runs promtool and returns its exit code and its output. */
function promtool(args: string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

interface Alert {
  state: 'pending' | 'firing'
  labels: Record<string, string>
  annotations: Record<string, string>
}

/** A running Prometheus. */
interface Prometheus {
  /** Whether an expression has series now. */
  hasSeries(expression: string): Promise<boolean>
  /** The alerts that are pending or firing. */
  alerts(): Promise<Alert[]>
  /** Names of all metrics that were read, those of histograms also without an end, and of labels. */
  names(): Promise<Set<string>>
}

/** Starts Prometheus on loopback, with a configuration and rules. Prometheus ends with the test. */
async function startPrometheus(
  t: Test,
  files: { 'prometheus.yml': string; 'alerts.yml': string }
): Promise<Prometheus> {
  const folder = temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn'
    ],
    { env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] }
  )
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    log += chunk
  })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  while (!(await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`Prometheus did not start: ${log}`)
    await pause(50)
  }

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`http://${address}/api/v1/${path}`)
    const { data, error } = (await response.json()) as { data: T; error?: string }
    if (error !== undefined) throw new Error(`${path}: ${error}`)
    return data
  }
  return {
    async hasSeries(expression) {
      const { result } = await get<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`)
      return result.length > 0
    },
    alerts: async () => (await get<{ alerts: Alert[] }>('alerts')).alerts,
    async names() {
      const [metrics, labels] = [await get<string[]>('label/__name__/values'), await get<string[]>('labels')]
      const histograms = metrics.filter((name) => name.endsWith('_bucket'))
      return new Set([...metrics, ...histograms.map((name) => name.replace(/_bucket$/, '')), ...labels])
    }
  }
}

/** A program that serves metrics. */
interface MeasuredServer extends Server {
  /** The label `instance` of its metrics. */
  instance: string
  /** Its metrics now. */
  scrape(): Promise<string>
}

/** Starts a program that serves metrics. The program may not be ready for requests. */
async function measuredServer(t: Test, env: Record<string, string>): Promise<MeasuredServer> {
  const instance = `127.0.0.1:${await freePort()}`
  const server = await startServer(t, { ...env, METRICS_PORT: new URL(`http://${instance}`).port })
  return { ...server, instance, scrape: async () => (await fetch(`http://${instance}/metrics`)).text() }
}

/**
 * Starts a program with an embedded database, and sends requests of each kind that is measured:
 * reads, writes, rejected requests, an import, a failed delivery, and a failed audit record.
 */
async function usedServer(t: Test) {
  const [clinical, dataDir] = [await recordingServer(t), temporaryFolder(t)]
  const target = `http://127.0.0.1:${await freePort()}`
  const server = await measuredServer(t, {
    CLINICAL_FHIR_URL: clinical.origin,
    DATA_DIR: dataDir,
    EVENT_TARGETS: target,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64')
  })
  await server.ready()
  const sql = postgres(await runningDatabase(dataDir), { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end({ timeout: 5 }))
  const { organization } = clinicalIn(clinical.origin)
  const as = callersOf(server.url)
  const [clerk, nurse] = (['AdministrativeClerk', 'MonitoringResponsible'] as const).map((userType) =>
    as(userType, organization('region'))
  ) as [Caller, Caller]
  const register = (name: string, role: string) =>
    clerk.post(`${orders}/party`, { ...party(name, role), organization: organization(name) })
  const { payload, headers } = await newWorkbook()
  const authorization = tokenOf('Provider', '', { organization: organization('provider') })
  const importing = { method: 'POST', headers: { authorization, ...headers }, body: new Uint8Array(payload) }
  const responses = [
    await register('region', 'BUYER'),
    await register('provider', 'SELLER'),
    await fetch(`${server.url}${excel}/catalogue`, importing),
    await nurse.post(`${orders}/subscription`, { target: `${target}/`, types: ['order.created'] }),
    await nurse.get(`${orders}/orders`),
    await nurse.get(`${orders}/order/${unknownId}`),
    await nurse.get(`${catalogue}/catalogue-items?q=device`)
  ]
  const statuses = responses.map(({ status }) => status)
  t.same(statuses, [201, 201, 201, 201, 200, 404, 200], server.output())
  await sql`alter table audit_events add constraint broken check (false) not valid`
  await nurse.get(`${orders}/orders`, 503)
  await sql`alter table audit_events drop constraint broken`
  return { ...server, dataDir }
}

t.test(
  'promtool accepts the rules, the configuration and the unit tests of the rules',
  { skip },
  async (t) => {
    for (const args of [
      ['check', 'rules', rulesFile],
      ['check', 'config', configFile],
      ['test', 'rules', ...unitTestsFiles]
    ]) {
      const { status, output } = promtool(args)
      t.equal(status, 0, output)
    }
  }
)

/** Replaces a text that must be there. */
function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`There is no "${from}" to replace.`)
  return text.replace(from, to)
}

t.test('servers under load', { skip }, async (t) => {
  const server = await usedServer(t)
  const withoutKeys = await measuredServer(t, {
    ENVIRONMENT: 'inttest',
    PUBLIC_URL: 'https://inttest.example.org',
    TOKEN_ISSUERS: `http://127.0.0.1:${await freePort()}`,
    DATABASE_URL: await cloneDatabase(t)
  })
  /** The value of the series in the metrics whose line begins with this text. */
  const seriesValue = async (series: string) => {
    const line = (await server.scrape()).split('\n').find((each) => each.startsWith(series))
    return Number(line?.split(' ').at(-1))
  }

  t.test('measure the delay of their event loop', async () => {
    do {
      server.process.kill('SIGSTOP')
      await pause(600)
      server.process.kill('SIGCONT')
      // A scrape that is served before the timers run does not see the delay.
      await fetch(`${server.url}/health/live`)
    } while (!((await seriesValue('nodejs_eventloop_delay_max_seconds')) > 0.5))
  })

  t.test('measure the disk of their database', async (t) => {
    const { blocks, bsize } = statfsSync(server.dataDir)
    t.equal(await seriesValue('ssl_data_dir_size_bytes'), blocks * bsize)
    const free = await seriesValue('ssl_data_dir_free_bytes')
    t.ok(free > 0 && free < blocks * bsize)
  })

  const { status, output } = promtool(['check', 'metrics'], await server.scrape())
  t.equal(status, 0, `promtool accepts the metrics: ${output}`)

  const targets = [
    ['localhost:9461, localhost:9462', `${server.instance}, ${withoutKeys.instance}`],
    ['localhost:9100', ''],
    ['localhost:9187', ''],
    ['https://ssl.example.org/health/live', ''],
    ['localhost:9093', '']
  ].reduce((text, [from = '', to = '']) => replaced(text, from, to), config)
  const isLive = () =>
    fetch(`${withoutKeys.url}/health/live`).then(
      ({ ok }) => ok,
      () => false
    )
  await until(isLive)
  const prometheus = await startPrometheus(t, {
    'prometheus.yml': targets.replaceAll('interval: 15s', 'interval: 1s'),
    'alerts.yml': rules
  })

  t.test('export every metric of the alerts, the runbook and the dashboard', async (t) => {
    await until(() => prometheus.hasSeries('count(up == 1) == 2'))
    const known = await prometheus.names()
    for (const [name, text] of Object.entries({ rules, runbook, dashboard: JSON.stringify(dashboard) })) {
      const metrics = metricsIn(text)
      t.ok(metrics.length > 0)
      for (const metric of metrics) t.ok(known.has(metric), `${name}: ${metric}`)
    }
  })

  t.test('are shown by every panel of the dashboard', async (t) => {
    const scrapes = (count: number) => prometheus.hasSeries(`count_over_time(up[5m]) >= ${count}`)
    await until(() => scrapes(3))
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets) {
        const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m')
        t.ok(await prometheus.hasSeries(query), `${title}: ${query}`)
      }
  })

  t.test('raise no alert without a fault', async (t) => {
    const ofBusyMachine = [
      'SslEventLoopBlocked',
      'SslSlowRequests',
      'SslSlowBulkRequests',
      'SslDiskNearlyFull'
    ]
    await until(() => prometheus.hasSeries('ALERTS'))
    const raised = (await prometheus.alerts()).map(({ labels }) => `${labels.alertname} ${labels.instance}`)
    t.same(
      raised.filter((alert) => !ofBusyMachine.some((name) => alert.startsWith(name))),
      [`SslIssuerKeysUnavailable ${withoutKeys.instance}`]
    )
  })
})
