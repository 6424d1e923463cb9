import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testApp, testWorld } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { clockOf } from '../fixtures/clock.js'
import { type Behaviour, builtInValueSets, fhirServer, type Resource } from '../fixtures/fhir/server.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { vs } from '../fixtures/routes/bodies.js'
import { outcome, problemViolations, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, deviceModel, world } from '../fixtures/world.js'

const snomed = 'http://snomed.info/sct'
const prefix = 'https://valuesets.example/vs'
const fhir = await fhirServer(t)

/**
 * The terminology server has devices of the built-in set and other devices, one of them without a
 * display.
 */
const devices = [
  { code: '19892000', display: 'Badevægt' },
  { code: '258057004' },
  { code: 'D' },
  ...Array.from({ length: 240 }, (_, at) => ({ code: `D${at}`, display: `Device ${at}` }))
]
const include = [{ system: snomed, concept: devices }]
const deviceType: Resource = { resourceType: 'ValueSet', url: `${prefix}/device-type`, compose: { include } }
const others = builtInValueSets().filter(({ url }) => url !== deviceType.url)
await fhir.keep({ ...deviceType, id: 'device-type' }, ...others)

// The circuit closes almost at once, so that each failure takes effect.
const REMOTE_TIMEOUT = 10_000
const settings = { TERMINOLOGY_URL: `${fhir.base}/`, REMOTE_TIMEOUT: `${REMOTE_TIMEOUT}` }
const { app, w } = await testWorld(t, settings, undefined, { limits: { circuitOpen: 10 } })
const { clerk, nurse, buyer, monitor } = w

const device = (code: string, system = snomed) => ({ system, code })
const annotation = (value: object, name = 'ehealth/device-type', item = monitor) => ({
  catalogueItem: item,
  buyer,
  name,
  value
})
let made = 0
const item = (values: object[] = [], name = 'ehealth/device-type') =>
  deviceModel(w.catalogue, {
    name: `Device ${++made}`,
    annotations: values.map((value) => ({ buyer, name, value }))
  })
/** Creates an annotation of a new item and returns its value. */
async function annotated(value: object, name?: string): Promise<unknown> {
  const of = await clerk.create(`${catalogue}/catalogue-item`, item())
  const url = await clerk.create(`${catalogue}/annotation`, annotation(value, name, of))
  return (await clerk.get(`${catalogue}/annotation/${idOf(url)}`, 200)).body.value
}
const asked = async () =>
  (await fhir.received()).map(({ body }) => {
    const { parameter } = JSON.parse(body) as { parameter: Record<string, string>[] }
    return parameter.map((each) => each.valueUri ?? each.valueCode).join(' ')
  })
const well = async () => {
  await fhir.behave('well')
  await fhir.forget()
}

t.test('a code of the terminology server is valid and gets the display of that server', async (t) => {
  t.same(await annotated(device('19892000')), { ...device('19892000'), display: 'Badevægt' })
  t.same(await annotated(device('258057004')), {
    ...device('258057004'),
    display: 'Non-invasive blood pressure monitor'
  })
  t.same(await annotated(device('D')), { ...device('D'), display: null })
  await fhir.forget()
  const safety = vs('device-safety', 'TBD')
  t.match(await annotated({ ...safety, code: 'tbd' }, 'ehealth/device-safety'), safety)
  t.match(await annotated(safety, 'ehealth/device-safety'), safety)
  t.match(await annotated(safety, 'a free name'), safety)
  t.same(await asked(), [
    `${prefix}/device-safety ${safety.system} TBD`,
    `${prefix}/catalogue-item-annotations ${safety.system} TBD`
  ])
})

t.test('a code that is unknown to the terminology server is invalid', async (t) => {
  await well()
  const refusals: [value: object, name?: string][] = [
    [device('59181002')],
    [device('d0')],
    [device('19892000', 'urn:other')],
    [vs('device-safety', 'TBD')],
    [vs('device-safety', 'NONE'), 'ehealth/device-safety']
  ]
  await writingNothing(t, app.sql, async () => {
    for (const [value, name] of refusals) {
      const response = await clerk.post(`${catalogue}/annotation`, annotation(value, name))
      t.equal(outcome(response), '422 unknown-coding /value', JSON.stringify(value))
      t.same(problemViolations(response), [])
    }
    const many = await clerk.post(`${catalogue}/catalogue-items`, [
      item([device('D1'), device('nonsense')]),
      item([device('nonsense')])
    ])
    t.same(
      many.body.errors.map((each: { pointer: string }) => each.pointer),
      ['/0/annotations/1/value', '/1/annotations/0/value']
    )
  })
  await fhir.forget()
  for (const value of [
    device('a '),
    device(''),
    device('1', 'no uri'),
    device('1', `${snomed}|2`),
    device('a  b')
  ])
    t.equal(
      outcome(await clerk.post(`${catalogue}/annotation`, annotation(value))),
      '422 unknown-coding /value'
    )
  t.same(await asked(), [], 'an invalid coding is not sent')
})

/** Responses of each kind. test/platform/http-client.test.ts and code-validation.test.ts have more. */
const outages: Behaviour[] = ['refusing', 'hanging', 'html', { status: 500 }, { status: 200, body: [] }]

t.test('without a validation result nothing is written', async (t) => {
  const clock = clockOf(t)
  const kept = await clerk.create(`${catalogue}/annotation`, annotation(device('D99')))
  const requests: [what: string, send: () => ReturnType<typeof clerk.post>][] = [
    ['create', () => clerk.post(`${catalogue}/annotation`, annotation(device('D0')))],
    ['replace', () => clerk.put(`${catalogue}/annotation/${idOf(kept)}`, annotation(device('D0')))],
    ['an item', () => clerk.post(`${catalogue}/catalogue-item`, item([device('D1'), device('D2')]))],
    ['items', () => clerk.post(`${catalogue}/catalogue-items`, [item(), item([device('D99'), device('D3')])])]
  ]
  await writingNothing(t, app.sql, async () => {
    for (const behaviour of outages) {
      await fhir.behave(behaviour)
      await fhir.forget()
      const responses = Promise.all(
        requests.map(async ([what, send]) => {
          const response = await send()
          const name = `${what}: ${JSON.stringify(behaviour)}`
          t.equal(outcome(response), '503 terminology-unavailable', name)
          t.match(response.headers['retry-after'], /^[1-9]\d*$/, name)
          t.notMatch(JSON.stringify({ ...response.body, type: '' }), /127\.0\.0\.1|D0|snomed/, name)
        })
      )
      const step = behaviour === 'hanging' ? REMOTE_TIMEOUT : 0
      await clock.passUntil(responses, step, async () => (await fhir.received()).length)
      if (behaviour !== 'refusing') t.ok((await asked()).length > 0, JSON.stringify(behaviour))
      await pause(20)
    }
  })
})

t.test('requests without validation work during an outage', async (t) => {
  await fhir.behave('refusing')
  const legal = await clerk.create(`${catalogue}/catalogue-item`, item([device('D99')]))
  t.ok(legal, 'a code validated before')
  const bare = await clerk.create(`${catalogue}/catalogue-item`, item())
  const filter = encodeURIComponent(`ehealth/device-type:${snomed}|D99`)
  const found = await nurse.get(`${catalogue}/catalogue-items?annotation=${filter}`, 200)
  t.equal(found.body.length, 2)
  await nurse.get(
    `${catalogue}/catalogue-items?annotation=${encodeURIComponent(`${snomed}/never-asked`)}`,
    200
  )
  const own = encodeURIComponent(`ehealth/device-safety:${prefix}/device-safety|tbd`)
  t.equal((await nurse.get(`${catalogue}/catalogue-items?annotation=${own}`, 200)).body.length, 2)
  const [first] = (
    await clerk.get(`${catalogue}/annotations?catalogueItem=${encodeURIComponent(legal)}`, 200)
  ).body
  await clerk.delete(`${catalogue}/annotation/${first.id}`, 204)
  await clerk.put(`${catalogue}/catalogue-item/${idOf(bare)}`, { ...item(), annotations: undefined }, 204)
  await w.submitted()
})

t.test(
  'a bulk create validates each coding once, with limited concurrency, outside of transactions',
  async (t) => {
    await well()
    const stored = async () => (await app.sql`select count(*)::int as count from annotations`)[0]?.count
    const before = await stored()
    await fhir.behave({ delay: 40 })
    const items = Array.from({ length: 500 }, (_, at) =>
      item([0, 1, 2, 3, 4].map((next) => device(`D${100 + ((at * 5 + next) % 100)}`)))
    )
    const creating = clerk.post(`${catalogue}/catalogue-items`, items, 201)
    await fhir.reached(1)
    const open = await app.sql`
    select query from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`
    t.equal(open.length, 0)
    await creating
    const received = await fhir.received()
    t.equal(received.length, 100)
    t.equal(new Set(await asked()).size, 100)
    t.ok(Math.max(...received.map((each) => each.underWay)) <= 4)
    t.equal(await stored(), before + 2500)
  }
)

t.test('the server receives no data about the caller or the request', async (t) => {
  await well()
  const token = tokenOf('AdministrativeClerk')
  const headers = {
    authorization: token,
    'x-request-id': unknownId,
    cookie: secret,
    'user-agent': secret
  }
  const value = { ...device('D70'), display: secret }
  const body = { ...item(), name: secret, annotations: [{ ...annotation(value), catalogueItem: undefined }] }
  await clerk.post(`${catalogue}/catalogue-item`, body, 201, headers)
  const [received, ...others] = await fhir.received()
  t.same(others, [])
  t.same(Object.keys(received?.headers ?? {}).sort(), [
    'accept',
    'connection',
    'content-length',
    'content-type',
    'host'
  ])
  const all = JSON.stringify(received)
  for (const each of [secret, unknownId, 'region', ...token.split('.').filter((part) => part.length > 3)])
    t.notOk(all.includes(each), each)
})

t.test('a setting lists the value sets that the server validates', async (t) => {
  const own = await testApp(t, {
    TERMINOLOGY_URL: fhir.base,
    TERMINOLOGY_SETS: 'device-safety, device-metric-category'
  })
  const g = await world(own)
  await well()
  const create = (value: object, name: string) =>
    g.clerk.post(`${catalogue}/annotation`, { catalogueItem: g.monitor, buyer: g.buyer, name, value })
  t.equal(outcome(await create(device('59181002'), 'ehealth/device-type')), '201', 'known only here')
  t.equal(outcome(await create(device('D'), 'ehealth/device-type')), '422 unknown-coding /value')
  t.equal(outcome(await create(device('59181002'), 'a free name')), '201')
  t.equal(outcome(await create(vs('device-safety', 'TBD'), 'ehealth/device-safety')), '201')
  t.same(await asked(), [`${prefix}/device-safety ${prefix}/device-safety TBD`])
})
