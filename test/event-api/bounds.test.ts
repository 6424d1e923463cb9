import type { Sql } from 'postgres'
import t, { type Test } from 'tap'
import { testWorld } from '../fixtures/app.js'
import { nextOf, readOn } from '../fixtures/events/reading.js'
import { genericPlanOf, recordStatements, type Sent } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { orders } from '../fixtures/world.js'

/** A node of a plan that was run. */
interface Node {
  'Relation Name'?: string
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/** Maximum number of rows that one statement scans, as docs/api/events.md says. */
const WINDOW_ROWS = 5000
const EVENTS = 60_000

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The cost of a statement with its generic plan. */
async function costOf(sql: Sql, sent: Sent) {
  const plan = (await genericPlanOf(sql, sent, 'analyze, buffers,')) as unknown as Node
  const scans = nodesOf(plan).filter((node) => node['Relation Name']?.startsWith('events'))
  return {
    buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    /** Rows of the ledger that the largest scan read. */
    rows: Math.max(0, ...scans.map((node) => node['Actual Rows'] * node['Actual Loops'])),
    hasSequentialScan: scans.some((node) => node['Node Type'] === 'Seq Scan')
  }
}

/** A seller with one order, and more events of other parties' orders than one statement scans. */
async function amongOthers(t: Test) {
  const { app, w } = await testWorld(t)
  await w.submitted()
  const others = await w.otherNurse.create(`${orders}/order`, { ...w.draft(), buyer: w.otherBuyer })
  const owner = others.split('/').at(-1) ?? ''
  const { next: start } = await readOn(w.provider)
  await app.sql`insert into events (time, id, type, change, subject_id, owner_id, sequence, old_status, new_status, is_of_draft)
    select now(), gen_random_uuid(), 'order.status-changed', 'changed', ${owner}, ${owner}, 1, 'A', 'B', false
    from generate_series(1, ${EVENTS}::int)`
  await vacuum(app.sql, 'analyze events')
  return { app, w, start }
}

// The plans are those of one server.
t.test('a read of the feed costs little without new events, and is bounded otherwise', async (t) => {
  const { app, w, start } = await amongOthers(t)
  const sent = recordStatements(app.app)
  /** Sends a request, and returns its statements on the ledger. */
  async function statementsOf(url: string): Promise<Sent[]> {
    sent.length = 0
    await w.provider.get(url, 200)
    return sent.filter(({ text }) => /from events/.test(text))
  }

  let { next: end } = await readOn(w.provider)
  for (let windows = 0; windows < EVENTS; windows += WINDOW_ROWS)
    ({ next: end } = await readOn(w.provider, end))
  const quiet = await statementsOf(end)
  t.ok(quiet.length > 0)
  for (const each of quiet) {
    const { buffers, rows, hasSequentialScan } = await costOf(app.sql, each)
    t.ok(buffers < 100, `nothing new: ${buffers} buffers`)
    t.ok(rows <= 1)
    t.notOk(hasSequentialScan)
    t.notMatch(each.text, /orders/, 'no visibility is judged')
  }

  await w.otherNurse.create(`${orders}/order`, { ...w.draft(), buyer: w.otherBuyer })
  for (const each of await statementsOf(end)) {
    const { buffers } = await costOf(app.sql, each)
    t.ok(buffers < 200, `one event of others: ${buffers} buffers`)
  }

  const windows = (await statementsOf(start)).filter(({ text }) => /orders/.test(text))
  t.ok(windows.length >= 1, `${windows.length} statements for ${EVENTS} events`)
  for (const each of windows.slice(0, 2)) {
    const { buffers, rows, hasSequentialScan } = await costOf(app.sql, each)
    t.ok(rows <= WINDOW_ROWS, `${rows} rows of others`)
    t.ok(buffers < 12 * WINDOW_ROWS, `${buffers} buffers`)
    t.notOk(hasSequentialScan)
  }
  const [first] = await statementsOf(`${orders}/events?limit=2&types=party.changed`)
  t.ok(first)
  for (const each of (await statementsOf(`${orders}/events?limit=2&types=party.changed`)).filter(({ text }) =>
    /is_of_draft/.test(text)
  )) {
    const { rows } = await costOf(app.sql, each)
    t.ok(rows <= 10, `a small page looks at ${rows} rows`)
  }
})

t.test('a request scans 20,000 events of other parties, and returns its position', async (t) => {
  const { app, w, start } = await amongOthers(t)
  const sent = recordStatements(app.app)
  let url = start
  for (const [query, statements] of [
    ['&wait=20', 4],
    ['', 4],
    ['', 4],
    ['', 0]
  ] as const) {
    sent.length = 0
    const response = await w.provider.get(url + query, 200)
    t.same(response.body, [])
    t.equal(sent.filter(({ text }) => /looked_at/.test(text)).length, statements)
    url = nextOf(response).replace('wait=20&', '')
  }
})
