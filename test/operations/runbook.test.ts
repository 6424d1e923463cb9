import t from 'tap'
import {
  alertsIn,
  dashboard,
  type Panel,
  rules,
  runbook,
  sectionsOf,
  unitTests
} from '../fixtures/prometheus/documents.js'

const alerts = alertsIn(rules)
const sections = sectionsOf(runbook).filter(({ name }) => name.startsWith('Ssl'))
const severityOf = (rule: string) => /severity: (\w+)/.exec(rule)?.[1] ?? ''

t.test('each alert has its section in the runbook, and no section is without an alert', async (t) => {
  t.ok(alerts.length >= 15)
  const names = alerts.map(({ name }) => name)
  t.same(sections.map(({ name }) => name).sort(), names.toSorted())
  for (const { name, section } of sections)
    for (const part of ['Means:', 'Check:', 'Act:'])
      t.equal(section.split(`**${part}**`).length, 2, `${name} has one part "${part}"`)
})

t.test('the lists of the runbook have each alert once, in the order of the sections', async (t) => {
  const listOf = (severity: string) =>
    new RegExp(`^- ${severity}: ([\\s\\S]*?)\\n(?! )`, 'm').exec(runbook)?.[1] ?? ''
  const links = ['Critical', 'Warning'].flatMap((severity) =>
    [...listOf(severity).matchAll(/\[(\w+)\]\(#(\w+)\)/g)].map(([, name = '', anchor = '']) => ({
      severity: severity.toLowerCase(),
      name,
      anchor
    }))
  )
  t.same(
    links.map(({ severity, name, anchor }) => `${name} ${anchor} ${severity}`).sort(),
    alerts.map(({ name, rule }) => `${name} ${name.toLowerCase()} ${severityOf(rule)}`).sort()
  )
  t.same(
    links.map(({ name }) => name),
    sections.map(({ name }) => name)
  )
})

t.test(
  'each alert has its urgency, its meaning, its effect on users, and a link to the runbook',
  async (t) => {
    for (const { name, rule } of alerts) {
      t.match(severityOf(rule), /^(critical|warning)$/, name)
      t.match(rule, /^ {8}for: \d+m$/m, `${name} waits for minutes`)
      for (const annotation of ['summary', 'description'])
        t.match(rule, new RegExp(`^ {10}${annotation}: .`, 'm'), `${name}: ${annotation}`)
      const url = `docs/operations/runbook.md#${name.toLowerCase()}`
      t.ok(rule.includes(`\n          runbook_url: ${url}\n`), `${name}: ${url}`)
    }
  }
)

t.test('each alert has a unit test that says when it fires', async (t) => {
  for (const { name } of alerts) t.ok(unitTests.includes(`{alertname="${name}"}`), name)
})

t.test('the dashboard can be imported into Grafana 10', async (t) => {
  const { schemaVersion, templating, panels } = dashboard
  t.ok(schemaVersion >= 36 && schemaVersion <= 39)
  t.same(
    templating.list.map(({ name, type }) => `${name}: ${type}`),
    ['datasource: datasource', 'instance: query']
  )
  t.ok(panels.length >= 12)
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'panels have different ids')
  for (const [at, panel] of panels.entries()) {
    t.ok(panel.gridPos.x + panel.gridPos.w <= 24, `${panel.title} fits`)
    for (const other of panels.slice(at + 1)) t.notOk(overlap(panel, other), `${panel.title}, ${other.title}`)
    t.ok(panel.targets.length > 0)
    for (const { expr } of panel.targets)
      t.match(expr, /job="ssl-backend", instance=~"\$instance"/, `${panel.title} follows the instance`)
  }
})

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}
