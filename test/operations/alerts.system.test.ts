import { statfsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { freePort } from '../fixtures/free-port.js'
import {
  config,
  configFile,
  dashboard,
  metricsIn,
  rules,
  rulesFile,
  runbook,
  unitTestsFile
} from '../fixtures/prometheus/documents.js'
import { measuredServer, usedServer } from '../fixtures/prometheus/measured-server.js'
import { promtool, skip } from '../fixtures/prometheus/promtool.js'
import { startPrometheus } from '../fixtures/prometheus/server.js'

t.test(
  'promtool accepts the rules, the configuration and the unit tests of the rules',
  { skip },
  async (t) => {
    for (const args of [
      ['check', 'rules', rulesFile],
      ['check', 'config', configFile],
      ['test', 'rules', unitTestsFile]
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

t.test('servers in use', { skip }, async (t) => {
  const server = await usedServer(t)
  const withoutKeys = await measuredServer(t, {
    ENVIRONMENT: 'inttest',
    PUBLIC_URL: 'https://inttest.example.org',
    TOKEN_ISSUERS: `http://127.0.0.1:${await freePort()}`,
    DATABASE_URL: await cloneDatabase(t)
  })
  /** The value of a series in the metrics, by the beginning of its line. */
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
    ['localhost:9093', '']
  ].reduce((text, [from = '', to = '']) => replaced(text, from, to), config)
  const prometheus = await startPrometheus(t, {
    'prometheus.yml': targets.replaceAll('interval: 15s', 'interval: 1s'),
    'alerts.yml': replaced(
      rules,
      'ssl_event_feed_delay_seconds > 60\n        for: 1m',
      'ssl_event_feed_delay_seconds > 6'
    )
  })

  t.test('have every metric of the alerts, the runbook and the dashboard', async (t) => {
    while (!(await prometheus.hasSeries('count(up == 1) == 2'))) await pause(100)
    const known = await prometheus.names()
    for (const [name, text] of Object.entries({ rules, runbook, dashboard: JSON.stringify(dashboard) })) {
      const metrics = metricsIn(text)
      t.ok(metrics.length > 0)
      for (const metric of metrics) t.ok(known.has(metric), `${name}: ${metric}`)
    }
  })

  t.test('are shown by every panel of the dashboard', async (t) => {
    const scrapes = (count: number) => prometheus.hasSeries(`count_over_time(up[5m]) >= ${count}`)
    while (!(await scrapes(3))) await pause(100)
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets) {
        const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m')
        t.ok(await prometheus.hasSeries(query), `${title}: ${query}`)
      }
  })

  t.test('raise no alert without a fault', async (t) => {
    const ofBusyMachine = ['SslEventLoopHeld', 'SslSlowRequests', 'SslSlowBulkRequests', 'SslDiskNearlyFull']
    while (!(await prometheus.hasSeries('ALERTS'))) await pause(100)
    const raised = (await prometheus.alerts()).map(({ labels }) => `${labels.alertname} ${labels.instance}`)
    t.same(
      raised.filter((alert) => !ofBusyMachine.some((name) => alert.startsWith(name))),
      [`SslIssuerKeysAway ${withoutKeys.instance}`]
    )
  })

  t.test('raise an alert when a transaction keeps events from their readers', async (t) => {
    const { sql, readEvents, addParty } = server
    await sql`begin`
    await sql`insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
      select now(), id, 'party.changed', 'created', id, id, 1, false from (select gen_random_uuid() as id) made`
    t.equal(await addParty(), 201, 'its event waits for that of the transaction')
    const isFiring = async () =>
      (await prometheus.alerts()).some(
        ({ labels, state }) => labels.alertname === 'SslEventsHeld' && state === 'firing'
      )
    while (!(await isFiring())) await readEvents()
    await sql`rollback`
    while (await isFiring()) await readEvents()
  })
})
