import { readFileSync } from 'node:fs'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { sqlDashboard } from '../fixtures/prometheus/documents.js'
import { organization, world } from '../fixtures/world.js'

/** The macros of Grafana that the statements use, for the last day. */
const macros: [macro: RegExp, value: string][] = [
  [/\$__timeFilter\((\w+)\)/g, "$1 between now() - interval '1 day' and now() + interval '1 day'"],
  [/\$__unixEpochFrom\(\)/g, "extract(epoch from now() - interval '1 day')"]
]

t.test('the role of the dashboard reads the data of its panels, and no data about patients', async (t) => {
  const app = await testApp(t)
  const { submitted, createDraft } = await world(app)
  await submitted()
  await createDraft()
  const role = readFileSync('deploy/postgres/dashboard.sql', 'utf8')
  const [database] = await app.sql`select current_database() as name`
  const undone = new Error('The role is not kept.')
  const work = app.sql.begin(async (tx) => {
    await tx.unsafe(role.replace('on database ssl', `on database "${database?.name}"`))
    await tx`set local role ssl_dashboard`
    const rows: object[][] = []
    for (const { targets } of sqlDashboard.panels)
      for (const { rawSql } of targets)
        rows.push([
          ...(await tx.unsafe(macros.reduce((text, [macro, value]) => text.replace(macro, value), rawSql)))
        ])
    const [buyer, seller] = [organization('region'), organization('provider')]
    t.match(rows, [
      [{ buyer, seller, orders: '2', drafts: '1', open: '1' }],
      [{ organization: buyer, user_type: 'MonitoringResponsible', rejected: '0' }]
    ])
    for (const columns of ['patient', 'receiver_name', 'notes', 'search_text'])
      await t.rejects(
        tx.savepoint((inner) => inner.unsafe(`select ${columns} from orders`)),
        { code: '42501' }
      )
    await t.rejects(
      tx.savepoint((inner) => inner`select patients from audit_events`),
      { code: '42501' }
    )
    throw undone
  })
  await t.rejects(work, undone)
})
