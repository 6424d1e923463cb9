import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, organization, pathOf, world } from '../fixtures/world.js'

const prefer = { prefer: 'respond-async' }

const devices = (count: number, more: string[][] = []) =>
  workbookOf({
    Catalogue: [
      ['Name', 'Seller'],
      ['Many', 'provider']
    ],
    Devices: [
      ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
      ...Array.from({ length: count }, (_, at) => ['urn:no', `D-${at}`, `Device ${at}`, 'Maker', 'M']),
      ...more
    ]
  })

/** Asks how far an import is until it has ended. */
async function ended(caller: Caller, begun: ApiResponse): Promise<ApiResponse['body'][]> {
  const seen = []
  for (;;) {
    const { body } = await caller.get(pathOf(begun.headers.location ?? ''), 200)
    seen.push(body)
    if (body.state !== 'running') return seen
    await pause(50)
  }
}

t.test('an import that is waited for by asking', async (t) => {
  const app = await testApp(t)
  const { provider, clerk } = await world(app)
  const itemsIn = async (url: string) =>
    (await clerk.get(`${catalogue}/catalogue-items?limit=1000&catalogue=${encodeURIComponent(url)}`, 200))
      .body
  const catalogues = async () => (await clerk.get(`${catalogue}/catalogues`, 200)).body.length

  t.test('tells how far it is, and what came of it', async (t) => {
    const begun = await upload(provider, 'POST', '/catalogue', await devices(2500), prefer)
    t.match(begun, {
      status: 202,
      headers: { 'preference-applied': 'respond-async' },
      body: { state: 'running', report: null }
    })
    const seen = await ended(provider, begun)
    const last = seen.at(-1)
    t.match(last, {
      state: 'succeeded',
      phase: 'done',
      rowsDone: 2500,
      rows: 2500,
      dryRun: false,
      problem: null
    })
    t.match(last.report, { dryRun: false, created: 2500, changed: 0, unchanged: 0 })
    t.equal((await itemsIn(last.report.catalogue)).length, 1000)
    const again = await upload(
      provider,
      'PUT',
      `/catalogue/${last.report.catalogue.split('/').at(-1)}`,
      await devices(2500),
      prefer
    )
    t.match((await ended(provider, again)).at(-1), {
      state: 'succeeded',
      report: { created: 0, changed: 0, unchanged: 2500 }
    })
  })

  t.test('in a dry run writes nothing', async (t) => {
    const before = await catalogues()
    const begun = await upload(provider, 'POST', '/catalogue?dryRun=true', await devices(3), prefer)
    t.match((await ended(provider, begun)).at(-1), {
      state: 'succeeded',
      dryRun: true,
      report: { dryRun: true, catalogue: null, created: 3 }
    })
    t.equal(await catalogues(), before)
  })

  t.test('tells what is wrong as an answer at once does', async (t) => {
    const before = await catalogues()
    const faulty = await devices(3, [
      ['urn:no', 'D-1', 'Twin', 'Maker', 'M'],
      ['', '', '', 'Maker', '']
    ])
    const atOnce = await upload(provider, 'POST', '/catalogue', faulty)
    const begun = await upload(provider, 'POST', '/catalogue', faulty, prefer)
    const last = (await ended(provider, begun)).at(-1)
    t.equal(last.state, 'failed')
    t.same({ ...last.problem, instance: '' }, { ...atOnce.body, instance: '' })
    t.match(last.problem, { status: 422, code: 'faulty-workbook', total: 3 })
    const unread = await upload(provider, 'POST', '/catalogue', Buffer.from('a;b\n1;2\n'), prefer)
    t.match((await ended(provider, unread)).at(-1), {
      state: 'failed',
      problem: { status: 415, code: 'is-csv' }
    })
    t.equal(await catalogues(), before)
  })

  t.test('is told of to who began it alone', async (t) => {
    const begun = await upload(provider, 'POST', '/catalogue?dryRun=true', await devices(1), prefer)
    const path = pathOf(begun.headers.location ?? '')
    const own = organization('provider')
    const others: [string, Caller][] = [
      ['another user type', clerk],
      ['another organization', app.as('Provider', organization('other-provider'), { name: 'Per Provider' })],
      ['another person', app.as('Provider', own, { name: 'Somebody else' })]
    ]
    for (const [what, caller] of others) t.equal(outcome(await caller.get(path)), '404 not-found', what)
    await app.as('Provider', own, { name: 'Per Provider' }).get(path, 200)
    await ended(provider, begun)
  })

  t.test('whose process is gone is interrupted, and can take no effect any more', async (t) => {
    const before = await catalogues()
    const running: ApiResponse[] = []
    await app.sql.begin(async (tx) => {
      await tx`lock table catalogue_items in exclusive mode`
      running.push(await upload(provider, 'POST', '/catalogue', await devices(5), prefer))
      const path = pathOf(running[0]?.headers.location ?? '')
      while ((await provider.get(path, 200)).body.phase === 'reading') await pause(20)
      // As if it had given no sign of life for long: the next one comes within a second.
      let body: ApiResponse['body']
      do {
        await app.sql`update imports set changed_at = now() - interval '1 minute' where state = 'running'`
        body = (await provider.get(path, 200)).body
      } while (body.state === 'running')
      t.match(body, { state: 'interrupted', report: null, problem: null })
    })
    await pause(500)
    const path = pathOf(running[0]?.headers.location ?? '')
    t.match((await provider.get(path, 200)).body, { state: 'interrupted' })
    t.equal(await catalogues(), before, 'its rows were rolled back')
  })
})

t.test('a server that stops gives up its imports', async (t) => {
  const app = await testApp(t)
  const { provider } = await world(app)
  let closed: Promise<unknown> = Promise.resolve()
  await app.sql.begin(async (tx) => {
    await tx`lock table catalogue_items in exclusive mode`
    const begun = await upload(provider, 'POST', '/catalogue', await devices(5), prefer)
    const path = pathOf(begun.headers.location ?? '')
    while ((await provider.get(path, 200)).body.phase === 'reading') await pause(20)
    closed = app.app.close()
    await pause(200)
  })
  await closed
  const rows =
    await app.sql`select state, (select count(*)::int from catalogues where name = 'Many') as made from imports`
  t.match(rows, [{ state: 'interrupted', made: 0 }])
})
