import t from 'tap'
import {
  alertsIn,
  configFile,
  dashboard,
  metricsIn,
  rules,
  rulesFile,
  runbook
} from '../fixtures/prometheus/documents.js'
import { faults } from '../fixtures/prometheus/faults.js'
import { healthyServer } from '../fixtures/prometheus/healthy.js'
import type { MeasuredServer } from '../fixtures/prometheus/measured-server.js'
import { promtool, skip } from '../fixtures/prometheus/promtool.js'
import { startPrometheus } from '../fixtures/prometheus/server.js'

/*
 * Raises the alerts of deploy/prometheus by their real faults: each fault has a server of its own,
 * and one Prometheus reads all of them.
 */

/** Of node_exporter. It has a unit test of promtool instead. */
const notRaised = ['SslDatabaseDiskNearlyFull']

t.test('promtool accepts the rules and the configuration', { skip }, async (t) => {
  const checks = [
    ['check', 'rules', rulesFile],
    ['check', 'config', configFile],
    ['test', 'rules', 'test/fixtures/prometheus/rules.test.yml']
  ]
  for (const args of checks) {
    const { status, output } = promtool(args)
    t.equal(status, 0, output)
  }
})

t.test('faults raise their alerts', { skip }, async (t) => {
  const [healthy, ...prepared] = await Promise.all([
    healthyServer(t),
    ...Object.entries(faults).map(async ([name, prepare]) => ({ name, ...(await prepare(t)) }))
  ])
  for (const { name, skip } of prepared) if (skip) t.pass(name, { skip })
  const servers = [healthy, ...prepared.map(({ server }) => server)]
  const prometheus = await startPrometheus(
    t,
    servers.map(({ instance }) => instance)
  )
  for (const { instance } of servers) await prometheus.reads(instance)

  for (const { instance, scrape } of servers) {
    const { status, output } = promtool(['check', 'metrics'], await scrape())
    t.equal(status, 0, `the metrics of ${instance} pass promtool: ${output}`)
  }

  const raises = async (what: string, alerts: readonly string[], { instance }: MeasuredServer) => {
    for (const alert of alerts) await t.resolves(prometheus.fired(alert, instance), `${what}: ${alert}`)
  }
  const made = prepared.filter(({ skip }) => !skip)
  await Promise.all(made.map(({ cause }) => cause?.()))
  await Promise.all(made.map(({ name, alerts, server }) => raises(name, alerts, server)))
  await Promise.all(made.map(({ end }) => end?.()))
  await Promise.all(made.map(({ name, later = [], server }) => raises(`the end of: ${name}`, later, server)))

  const slowness = healthy.alertsOfSlowness()
  const unexplained = (await prometheus.alertsOf(healthy.instance)).filter((name) => !slowness.includes(name))
  t.same(unexplained, [], 'a healthy server under load raises none')
  const raised = prepared.flatMap(({ alerts, later = [] }) => [...alerts, ...later])
  const names = alertsIn(rules).map(({ name }) => name)
  t.same([...raised, ...notRaised].sort(), names.sort(), 'each alert was raised')

  const known = await prometheus.names()
  for (const [what, text] of Object.entries({ rules, runbook, dashboard: JSON.stringify(dashboard) })) {
    const metrics = metricsIn(text)
    t.ok(metrics.length > 0)
    for (const metric of metrics) t.ok(known.has(metric), `${what}: ${metric} exists`)
  }
  for (const { title, targets } of dashboard.panels)
    for (const { expr } of targets) {
      const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m')
      t.ok((await prometheus.query(query)).length > 0, `${title} shows something: ${query}`)
    }
  const percentile = 'max(max_over_time(nodejs_eventloop_delay_p99_seconds[1h])) > 0'
  t.ok((await prometheus.query(percentile)).length > 0, 'percentiles of the event loop delay are measured')
})
