import { setImmediate as immediate } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { clockOf } from '../fixtures/clock.js'
import { nextOf } from '../fixtures/events/reading.js'
import { form } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { headOf, listenOnLoopback, wire } from '../fixtures/wire.js'
import { catalogue, orders, organization, world } from '../fixtures/world.js'

const items = `${catalogue}/catalogue-items`
const excel = '/ssl-catalogue-excel/v1/catalogue'
/** Request timeout in milliseconds; only the fake clock reaches it. */
const limit = 240_000
/** Invalid JSON, which the parser rejects. */
const heavyBody = `[${' '.repeat(1_100_000)}`
const largeBody = `[${' '.repeat(1_000_000)}`
const smallBody = `[${' '.repeat(30_000)}`

const testing = await testApp(t, { REQUEST_TIMEOUT: `${limit}` }, undefined, {
  limits: { bulkConcurrency: 1 }
})
const { app, sql } = testing
const { clerk, catalogue: catalogueUrl } = await world(testing)
const port = await listenOnLoopback(app)
const authorization = tokenOf('AdministrativeClerk')

t.test('heavy requests run with limited concurrency', async (t) => {
  async function call(method: string, path: string, init: RequestInit = {}) {
    const headers = { authorization, ...init.headers }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init, headers })
    const { code } = (await response.json().catch(() => ({}))) as { code?: string }
    return { status: response.status, code, retryAfter: response.headers.get('retry-after') }
  }
  const json = { 'content-type': 'application/json' }
  const other = { authorization: tokenOf('AdministrativeClerk', 'x') }
  const post = (body: string, as = {}) => call('POST', items, { headers: { ...json, ...as }, body })
  const postChunked = (body: string, as = {}) => {
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 65_536)
          controller.enqueue(new TextEncoder().encode(body.slice(at, at + 65_536)))
        controller.close()
      }
    })
    return call('POST', items, { headers: { ...json, ...as }, body: chunks, duplex: 'half' } as RequestInit)
  }
  const { payload, headers } = form(await workbookOf({ Nothing: [] }))
  const send = () => call('POST', excel, { headers, body: new Uint8Array(payload) })
  const fetchExport = () => call('GET', `${excel}/${catalogueUrl.split('/').at(-1)}`)

  const heavy = [
    { what: 'a large body', request: () => post(heavyBody), done: 400 },
    { what: 'a large body of unknown length', request: () => postChunked(heavyBody), done: 400 },
    { what: 'an import', request: send, done: 422 },
    { what: 'an export', request: fetchExport, done: 200 }
  ]

  t.test('further requests wait and are served', async (t) => {
    const release = await app.slots.heavyWork.acquire()
    let answered = 0
    const waiting = heavy.map(async ({ request }) => {
      const response = await request()
      answered++
      return response
    })
    while (app.slots.heavyWork.waiting < heavy.length) t.equal((await call('GET', items)).status, 200)
    t.equal(answered, 0)
    t.match(
      await call('POST', `${orders}/party`, { headers: json, body: largeBody }),
      { status: 400, code: 'malformed-json' },
      'a large body does not wait for a heavy one'
    )
    for (const request of [post, postChunked]) {
      t.match(await request(heavyBody), { status: 429, code: 'too-many-requests', retryAfter: '5' })
      t.match(await request(heavyBody, other), { status: 503, code: 'busy', retryAfter: '5' })
    }
    for (const request of [send, fetchExport])
      t.match(await request(), { status: 503, code: 'too-many-workbooks', retryAfter: '30' })
    release()
    const responses = await Promise.all(waiting)
    for (const [at, { what, done }] of heavy.entries()) t.equal(responses[at]?.status, done, what)
  })

  t.test('a request releases its slot however it ends', async (t) => {
    const tooLarge = ' '.repeat(11_000_000)
    const ends = [
      { what: 'a success', request: fetchExport, status: 200 },
      { what: 'invalid JSON', request: () => post(heavyBody), status: 400 },
      { what: 'a body over the limit', request: () => postChunked(tooLarge), status: 413 },
      {
        what: 'a body that the schema refuses',
        request: () => post(`${' '.repeat(1_100_000)}{}`),
        status: 400
      },
      { what: 'a workbook with faults', request: send, status: 422 },
      { what: 'no such catalogue', request: () => call('GET', `${excel}/none`), status: 404 }
    ]
    for (const { what, request, status } of ends) {
      t.equal((await request()).status, status, what)
      const release = await app.slots.heavyWork.acquire()
      release()
    }
  })

  t.test('a caller without permission takes no slot', async (t) => {
    const release = await app.slots.heavyWork.acquire()
    const response = await call('POST', items, {
      headers: { ...json, authorization: 'Bearer none' },
      body: heavyBody
    })
    t.equal(response.status, 401)
    release()
  })
})

t.test('lists take slots, and a caller and an organization leave some to other callers', async (t) => {
  const testing = await testApp(t)
  const { app } = testing
  const w = await world(testing)
  await w.createDraft()
  const nurse = (name: string, of = 'region') =>
    testing.as('MonitoringResponsible', organization(of), { name })
  const ownerOf = (user: string) => ({
    caller: JSON.stringify(['urn:unsigned', 'MonitoringResponsible', organization('region'), user]),
    organization: organization('region')
  })
  const wide = { slots: app.slots.widePages, ofCaller: 1, ofOrganization: 2 }
  const lists = [
    { ...wide, url: `${orders}/orders?expand=parties,items` },
    { ...wide, url: `${orders}/order-lines`, headers: { accept: 'text/csv' } },
    { ...wide, url: `${orders}/orders?limit=101` },
    { slots: app.slots.pages, ofCaller: 6, ofOrganization: 7, url: `${orders}/orders?limit=100` }
  ]
  for (const { slots, ofCaller, ofOrganization, ...list } of lists) {
    const hold = (count: number, user: string) =>
      Promise.all(Array.from({ length: count }, () => slots.acquire(ownerOf(user))))
    const get = (caller: ReturnType<typeof nurse>) => caller.send({ method: 'GET', ...list })
    const held = await hold(ofCaller, 'one')
    const waiting = [get(nurse('one'))]
    while (slots.waiting < 1) await immediate()
    t.equal((await get(nurse('two'))).status, 200, `another user: ${list.url}`)
    held.push(...(await hold(ofOrganization - ofCaller, 'three')))
    waiting.push(get(nurse('two')))
    while (slots.waiting < 2) await immediate()
    t.equal((await get(nurse('one', 'x'))).status, 200, `another organization: ${list.url}`)
    for (const release of held) release()
    for (const { status } of await Promise.all(waiting)) t.equal(status, 200)
  }
})

t.test('rejects a list when too many of its caller wait', async (t) => {
  const { app, as } = await testApp(t)
  const held = await Promise.all(Array.from({ length: 16 }, () => app.slots.pages.acquire()))
  const list = () => as('AdministrativeClerk', organization('region')).get(`${orders}/parties?limit=100`)
  const waiting = Array.from({ length: 100 }, list)
  while (app.slots.pages.waiting < 100) await immediate()
  t.match(await list(), { status: 429, headers: { 'retry-after': '5' }, body: { code: 'too-many-requests' } })
  for (const release of held) release()
  for (const { status } of await Promise.all(waiting)) t.equal(status, 200)
})

t.test('a heavy request waits at most two thirds of its timeout', async (t) => {
  const clock = clockOf(t)
  const release = await app.slots.heavyWork.acquire()
  const { payload, headers } = form(Buffer.from('x'))
  const refusing = clerk.send({ method: 'POST', url: excel, payload, headers })
  while (app.slots.heavyWork.waiting === 0) await immediate()
  clock.pass((limit * 2) / 3)
  t.match(await refusing, { status: 503, body: { code: 'too-many-workbooks' } })
  release()
  const free = await app.slots.heavyWork.acquire()
  free()
})

/** Takes all slots for large work. */
async function holdAll() {
  const held = [await app.slots.largeWork.acquire(), await app.slots.largeWork.acquire()]
  return () => held.map((release) => release())
}

t.test('two large bodies are processed at a time, and few large bodies of a caller wait', async (t) => {
  const clock = clockOf(t)
  const post = async (payload: string, name = 'one') => {
    const token = tokenOf('AdministrativeClerk', 'region', { name })
    const headers = { authorization: token, 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: `${orders}/party`, headers, payload })
    return `${response.statusCode} ${response.json().code}`
  }
  const releaseAll = await holdAll()
  const waiting = [1, 2, 3, 4].map(() => post(largeBody))
  while (app.slots.largeWork.waiting < waiting.length) await immediate()
  t.equal(await post(smallBody), '400 malformed-json', 'a small body does not wait')
  t.equal(await post(largeBody), '429 too-many-requests', 'a fifth one of the caller does not wait')
  const other = post(largeBody, 'other')
  while (app.slots.largeWork.waiting < 5) await immediate()
  releaseAll()
  for (const served of await Promise.all([...waiting, other])) t.equal(served, '400 malformed-json')

  const held = await holdAll()
  const refusing = post(largeBody)
  while (app.slots.largeWork.waiting === 0) await immediate()
  clock.pass((limit * 2) / 3)
  t.equal(await refusing, '503 busy')
  held()
  t.equal(await post(largeBody), '400 malformed-json', 'no slot was lost')
})

t.test('a large page waits for a slot or ends earlier', async (t) => {
  const clock = clockOf(t)
  const count = 90
  await sql`
    insert into parties (id, name, organization, allowed_roles, created_at)
    select gen_random_uuid(), repeat('x', 3900), ${organization('region')}, '{BUYER}', now()
    from generate_series(1, ${count})`
  const list = (query = '') => clerk.get(`${orders}/parties${query}`, 200)
  const lengthOf = (response: { body: object[] }) => response.body.length

  const whole = await list()
  t.ok(lengthOf(whole) > count, 'one page without contention')
  t.equal(whole.headers.link, undefined)

  const release = await holdAll()
  const waiting = [1, 2, 3, 4].map(() => list())
  while (app.slots.largeWork.waiting < waiting.length) await immediate()
  t.equal(lengthOf(await list('?limit=20')), 20, 'a small page does not wait')
  t.ok(lengthOf(await list()) < lengthOf(whole), 'a fifth one of the caller does not wait')
  release()
  for (const page of waiting) t.same((await page).body, whole.body)

  const held = await holdAll()
  const ending = list()
  while (app.slots.largeWork.waiting === 0) await immediate()
  clock.pass((limit * 2) / 3)
  const first = await ending
  t.ok(lengthOf(first) < lengthOf(whole))
  const second = await clerk.get(nextOf(first), 200)
  t.same([...first.body, ...second.body], whole.body, 'no entry is lost')
  held()
})

t.test('a request whose connection closes while it waits keeps no slot', async (t) => {
  const valid = (size: number) => JSON.stringify([{ name: 'x'.repeat(size) }])
  const cases = [
    { slots: app.slots.largeWork, count: 2, url: `${orders}/party`, body: largeBody },
    { slots: app.slots.largeWork, count: 2, url: `${orders}/party`, body: valid(100_000) },
    { slots: app.slots.heavyWork, count: 1, url: items, body: heavyBody },
    { slots: app.slots.heavyWork, count: 1, url: items, body: valid(1_100_000) }
  ]
  for (const { slots, count, url, body } of cases) {
    const holdAll = async () => {
      const releases = await Promise.all(Array.from({ length: count }, () => slots.acquire()))
      return () => releases.map((release) => release())
    }
    const releaseAll = await holdAll()
    const { send, closed } = wire(t, port)
    const type = 'content-type: application/json'
    send(
      headOf('POST', url, `authorization: ${authorization}`, type, `content-length: ${body.length}`) + body
    )
    while (slots.waiting === 0) await immediate()
    app.server.closeAllConnections()
    await closed()
    releaseAll()
    const releaseAgain = await holdAll()
    releaseAgain()
  }
  t.pass('every slot was released')
})
