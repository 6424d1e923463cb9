import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { TestApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { delayReplay, holds, instance, type PairServer, reading, replicaPair } from '../fixtures/replica.js'
import { catalogue, orders, pathOf, patient, type World, world } from '../fixtures/world.js'

const device = { system: 'http://snomed.info/sct', code: '258057004' }

const LAG_MS = 1500
const prefer = { prefer: 'respond-async' }
const envOf = (lagMs: number) => ({ DATABASE_READ_LAG: String(lagMs) })
const env = envOf(LAG_MS)

const query = (values: Record<string, string>) => new URLSearchParams(values)

/** Stops the replay on a standby, which goes on receiving. */
async function pauseReplay({ sql }: PairServer): Promise<void> {
  await sql`select pg_wal_replay_pause()`
  await holds(async () => {
    const [row] = await sql`select pg_get_wal_replay_pause_state() as state`
    return row?.state === 'paused'
  })
}
const resumeReplay = ({ sql }: PairServer) => sql`select pg_wal_replay_resume()`

/** The bodies of these addresses. */
const bodiesOf = async (read: (url: string) => Promise<ApiResponse>, urls: readonly string[]) => {
  const bodies = []
  for (const url of urls) bodies.push((await read(url)).body)
  return bodies
}

/** Reads that may go to the standby. */
const readsOf = ({ catalogue: list, monitor, buyer }: World, annotation: string, entry: string) => [
  pathOf(list),
  `${catalogue}/catalogues`,
  pathOf(monitor),
  `${catalogue}/catalogue-items?q=blood`,
  `${catalogue}/catalogue-items?${query({ buyer })}`,
  pathOf(annotation),
  `${catalogue}/annotations`,
  entry,
  `${catalogue}/white-lists`
]

/** Reads that must go to the primary. */
const primaryReadsOf = ({ contract, buyer }: World, order: string) => [
  `${catalogue}/catalogue-items?${query({ patient: patient('p1') })}`,
  `${catalogue}/catalogue-items?${query({ patient: patient('p1'), buyer })}`,
  `${catalogue}/black-lists?${query({ patient: patient('p1') })}`,
  pathOf(buyer),
  `${orders}/parties`,
  pathOf(contract),
  `${orders}/contracts`,
  pathOf(order)
]

/** Changes every row that the reads return, past the API. */
const disguise = async ({ sql }: TestApp, by: string) => {
  const otherItem = sql`(select id from catalogue_items i where i.id <> item_id and not exists (
    select from white_list_entries w where w.item_id = i.id) limit 1)`
  await sql`update white_list_entries set item_id = ${otherItem} where id = (select min(id::text)::uuid from white_list_entries)`
  await sql`update black_list_entries set item_id = ${otherItem}`
  await sql`update catalogues set name = name || ${by}`
  await sql`update catalogue_items set name = name || ${by}`
  await sql`update annotations set code = code || ${by}`
  await sql`update parties set name = name || ${by}`
  await sql`update contracts set name = name || ${by}`
  await sql`update orders set name = ${by}`
}

t.test('an instance with a standby', async (t) => {
  const pair = await replicaPair(t)
  const { primary, standby } = pair
  const [one, other] = [await instance(t, pair, env), await instance(t, pair, env)]
  const w = await world(one)
  const annotation = await w.clerk.create(`${catalogue}/annotation`, {
    ...{ buyer: w.buyer, catalogueItem: w.monitor, name: 'colour' },
    value: device
  })
  await w.clerk.create(`${catalogue}/catalogue-item`, {
    ...{ catalogueItemType: 'DeviceModel', catalogue: w.catalogue, name: 'Not white-listed' },
    ...{ manufacturer: 'Maker', model: 'Model' }
  })
  const entries = (await w.clerk.get(`${catalogue}/white-lists`, 200)).body
  const [entry = '', otherEntry = ''] = entries.map(
    ({ id }: { id: string }) => `${catalogue}/white-list/${id}`
  )
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.repair })
  const reads = readsOf(w, annotation, entry)
  const primaryReads = primaryReadsOf(w, await w.createDraft())
  const nurse = other.as('MonitoringResponsible', 'https://fhir.example/Organization/region')
  const get = (url: string) => nurse.get(url, 200)

  t.test('reads from the standby while it is current, then from the primary', async (t) => {
    // A busy machine may need longer to read everything: each attempt has twice the time.
    for (const attempt of [1, 2, 4, 8, 16, 32]) {
      const late = await instance(t, pair, envOf(LAG_MS * attempt))
      const reader = late.as('MonitoringResponsible', 'https://fhir.example/Organization/region')
      const get = (url: string) => reader.get(url, 200)
      const isReadable = () => late.app.replication.isReadable()
      await reading(late)
      const before = await bodiesOf(get, reads)
      const primaryBefore = await bodiesOf(get, primaryReads)
      await pauseReplay(standby)
      await disguise(one, String(attempt)).catch(async (cause) => {
        await resumeReplay(standby)
        throw cause
      })
      const during = await bodiesOf(get, reads)
      const primaryDuring = await bodiesOf(get, primaryReads)
      const wasInTime = isReadable()
      for (const [at, url] of primaryReads.entries()) t.notSame(primaryDuring[at], primaryBefore[at], url)
      if (wasInTime) for (const [at, url] of reads.entries()) t.same(during[at], before[at], url)
      await holds(() => !isReadable())
      const after = await bodiesOf(get, reads)
      for (const [at, url] of reads.entries()) t.notSame(after[at], before[at], url)
      await resumeReplay(standby)
      if (wasInTime) return
    }
    t.fail('the standby was out of use before everything was read')
  })

  t.test('a write is read on another instance', async (t) => {
    await delayReplay(standby, 250)
    t.teardown(() => delayReplay(standby, 0))
    const { clerk, provider, buyer } = w
    const names = async (url: string): Promise<string[]> =>
      (await get(url)).body.map(({ name }: { name: string }) => name)
    async function change(url: string, more: object) {
      const { id, ...members } = (await clerk.get(pathOf(url), 200)).body
      await clerk.put(pathOf(url), { ...members, ...more }, 204)
    }
    const until = (end: number[]) => ({ validityPeriod: { start: [2020, 1, 1], end } })
    const model = {
      ...{ catalogueItemType: 'DeviceModel', catalogue: w.catalogue },
      ...{ manufacturer: 'Maker', model: 'Model' }
    }
    const annotationOf = (name: string) => ({ buyer, catalogueItem: w.monitor, name, value: device })
    let created = ''
    const seller = (await clerk.get(pathOf(w.seller), 200)).body.name
    const workbook = (name: string) =>
      workbookOf({
        Catalogue: [
          ['Name', 'Seller'],
          [name, seller]
        ],
        Devices: [
          ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
          ['urn:no', name, name, 'Maker', 'M']
        ]
      })
    const searching = (values: Record<string, string>) => `${catalogue}/catalogue-items?${query(values)}`
    const orderable = searching({ buyer })
    const items = searching({ catalogue: w.catalogue })
    const named = (name: string) => searching({ annotation: `${name}:${device.system}|${device.code}` })
    const all = await names(orderable)
    const hasAll = (found: string[]) => found.length === all.length
    const hasNone = (found: string[]) => found.length === 0
    const hasOne = (found: string[]) => found.length === 1

    const writes: [write: () => Promise<unknown>, url: string, isWritten: (names: string[]) => boolean][] = [
      [() => change(w.catalogue, { status: 'INACTIVE' }), orderable, hasNone],
      [() => change(w.catalogue, { status: 'ACTIVE' }), orderable, hasAll],
      [() => change(w.contract, until([2020, 1, 2])), orderable, hasNone],
      [() => change(w.contract, until([2999, 12, 31])), orderable, hasAll],
      [() => change(w.seller, { allowedRoles: ['ACCOUNTING'] }), orderable, hasNone],
      [() => change(w.seller, { allowedRoles: ['SELLER'] }), orderable, hasAll],
      [() => change(w.monitor, { name: 'Renamed' }), items, (found) => found.includes('Renamed')],
      [
        () => clerk.create(`${catalogue}/catalogue-item`, { ...model, name: 'Single' }),
        items,
        (found) => found.includes('Single')
      ],
      [
        () => clerk.post(`${catalogue}/catalogue-items`, [{ ...model, name: 'Bulk' }], 201),
        items,
        (found) => found.includes('Bulk')
      ],
      [() => clerk.delete(otherEntry, 204), orderable, hasOne],
      [() => clerk.create(`${catalogue}/white-list`, { buyer, item: w.repair }), orderable, hasAll],
      [
        async () => {
          created = await clerk.create(`${catalogue}/annotation`, annotationOf('kind'))
        },
        named('kind'),
        hasOne
      ],
      [() => clerk.put(pathOf(created), annotationOf('sort'), 204), named('sort'), hasOne],
      [() => clerk.delete(pathOf(created), 204), named('sort'), hasNone],
      [
        async () => upload(provider, 'POST', '/catalogue', await workbook('Imported')),
        searching({ q: 'imported' }),
        hasOne
      ],
      [
        async () => {
          const begun = await upload(provider, 'POST', '/catalogue', await workbook('Later'), prefer)
          const job = pathOf(begun.headers.location ?? '')
          await holds(async () => (await provider.get(job, 200)).body.state !== 'running')
        },
        searching({ q: 'later' }),
        hasOne
      ]
    ]

    let fromStandby = 0
    for (const [write, url, isWritten] of writes) {
      await reading(one)
      await reading(other)
      await write()
      const found = await names(url)
      if (other.app.replication.isReadable()) fromStandby++
      t.ok(isWritten(found), `${write}: ${found}`)
    }
    t.ok(fromStandby > 0)
  })

  t.test('a write is acknowledged when the standby does not replay it, and is read', async (t) => {
    await reading(one)
    await reading(other)
    await pauseReplay(standby)
    t.teardown(() => resumeReplay(standby))
    const { id, ...members } = (await w.clerk.get(pathOf(w.monitor), 200)).body
    await w.clerk.put(pathOf(w.monitor), { ...members, name: 'Unreplayed' }, 204)
    for (const app of [one, other]) {
      t.notOk(app.app.replication.isReadable())
      const reader = app.as('MonitoringResponsible', 'https://fhir.example/Organization/region')
      t.equal((await reader.get(pathOf(w.monitor), 200)).body.name, 'Unreplayed')
    }
  })

  t.test('a read that the standby cancels is repeated on the primary', async (t) => {
    const pid = sqlOn(standby)
    const ways: [how: string, cancel: () => Promise<unknown>][] = [
      ['cancelled', async () => standby.sql`select pg_cancel_backend(${await pid()})`],
      ['connection closed', async () => standby.sql`select pg_terminate_backend(${await pid()})`],
      [
        'recovery conflict',
        () =>
          primary.sql.begin(async (tx) => {
            await tx`lock table catalogues in access exclusive mode`
            await tx`select pg_current_xact_id()`
            await tx`select pg_logical_emit_message(true, '', '')`
          })
      ]
    ]
    await standby.sql.unsafe('alter system set max_standby_streaming_delay = 0')
    await standby.sql`select pg_reload_conf()`
    for (const [how, cancel] of ways) {
      await reading(other)
      const read = Promise.resolve(
        other.app.readDb.$client.unsafe(
          'select pg_is_in_recovery() as standby, case when pg_is_in_recovery() then pg_sleep(600) end from catalogues limit 1'
        )
      )
      await pid()
      await cancel()
      t.match(await read, [{ standby: false }], how)
    }
    await reading(other)
    await t.rejects(
      Promise.resolve(
        other.app.readDb.$client.unsafe(
          'select case when pg_is_in_recovery() then 1/0 else 1 end from catalogues'
        )
      ),
      { code: '22012' },
      'other errors are reported'
    )
  })

  t.test('without the primary catalogues are read on', async (t) => {
    await reading(one)
    await reading(other)
    const ready = { status: 200, body: { status: 'ok' } }
    t.match(await nurse.get('/health/ready'), ready)
    const before = await bodiesOf(get, reads)
    await primary.stop()
    const stoppedAt = performance.now()
    while (performance.now() - stoppedAt < 3 * LAG_MS) {
      t.same(await bodiesOf(get, reads), before)
      await pause(100)
    }
    t.match(await nurse.get('/health/ready'), { status: 200, body: { status: 'degraded' } })
    for (const url of primaryReads)
      t.match(await nurse.get(url), { status: 503, body: { code: 'database-unavailable' } }, url)
    t.match(await w.clerk.post(`${catalogue}/catalogue`, { seller: w.seller, name: 'X' }), { status: 503 })
    await primary.start()
    await holds(async () => (await nurse.get('/health/ready')).body.status === 'ok')
    const late = await w.clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'After' })
    t.equal((await get(pathOf(late))).body.name, 'After')
  })

  t.test('without the standby catalogues are read from the primary', async (t) => {
    await reading(other)
    let isStopped = false
    const stopping = standby.stop().then(() => {
      isStopped = true
    })
    let count = 0
    while (!isStopped || count < 50) {
      await get(reads[count++ % reads.length] ?? '')
    }
    await stopping
    t.notOk(other.app.replication.isReadable())
    const late = await w.clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Without' })
    t.equal((await get(pathOf(late))).body.name, 'Without')
    t.match(await nurse.get('/health/ready'), { status: 200, body: { status: 'ok' } })
    await standby.start()
    await reading(other)
    t.equal((await get(pathOf(late))).body.name, 'Without')
  })

  t.test('a server that is not a standby of the primary is not read from', async (t) => {
    const wrong = await instance(t, { primary, standby: primary }, env)
    const line = (text: string) => wrong.lines.some((each) => each.includes(text))
    await holds(() => line('not-a-standby'))
    t.notOk(wrong.app.replication.isReadable())
  })
})

/** Waits for a read that sleeps on the standby, and returns the id of its process. */
const sqlOn = ({ sql }: PairServer) =>
  async function pid(): Promise<number> {
    for (;;) {
      const [row] = await sql`
        select pid from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'ssl-backend'`
      if (row) return row.pid
      await pause(20)
    }
  }
