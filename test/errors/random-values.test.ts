import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { thorough } from '../fixtures/effort.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { bodies, writerOf } from '../fixtures/routes/bodies.js'
import { type PopulatedWorld, populatedWorld } from '../fixtures/routes/populated-world.js'
import { json, outcome, refusalErrors, secret } from '../fixtures/routes/refusal.js'
import { table } from '../fixtures/routes/table.js'
import { catalogue, orders, pathOf } from '../fixtures/world.js'

const seed = 20_261_101
const rounds = thorough ? { POST: 120, PUT: 80, PATCH: 500 } : { POST: 40, PUT: 30, PATCH: 160 }

/** Numbers from 0 to 1, the same in every run (mulberry32). */
function randomFrom(state: number): () => number {
  let a = state
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let b = Math.imul(a ^ (a >>> 15), 1 | a)
    b = (b + Math.imul(b ^ (b >>> 7), 61 | b)) ^ b
    return ((b ^ (b >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = randomFrom(seed)
const below = (count: number) => Math.floor(random() * count)
const oneOf = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T

const odd = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    1.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 31,
    2 ** 53,
    '',
    ' ',
    'null',
    '0',
    '-1',
    'NaN'
  ],
  ...[
    '\u0000',
    '\ud800',
    '\udfff\ud800',
    '\ufeff',
    '\u202e',
    '𝒳',
    'e\u0301',
    "'; drop table parties; --",
    '%',
    '\\',
    '{{1}}'
  ],
  ...[
    '2026-01-01',
    '2026-02-30',
    '2016-12-31T23:59:60Z',
    '2026-01-01T10:00:00+01',
    '9999-12-31T23:59:59-23:59'
  ],
  ...[
    'DRAFT',
    'draft',
    'SUBMITTED',
    'BUYER',
    'Service',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'toJSON',
    'then'
  ],
  ...[
    'https://fhir.example/Patient/1',
    'https://fhir.example/Organization/1',
    'urn:x',
    'javascript:1',
    '//x',
    'http://['
  ],
  ...[
    [],
    {},
    [[]],
    [{}],
    [null],
    { system: 'x', code: 'y' },
    { system: null, code: null },
    { code: {} },
    [2026, 1, 1]
  ],
  ...[
    'x'.repeat(300),
    'x'.repeat(5000),
    Array(40).fill('x'),
    Array(40).fill(null),
    { a: { b: { c: { d: {} } } } }
  ]
]
const names = [
  'id',
  'name',
  'status',
  'code',
  'system',
  'value',
  'note',
  '__proto__',
  'constructor',
  'toString',
  '',
  '0',
  '\u0000',
  'ø'
]

type Holder = Record<string | number, unknown>

/** Every value in a body, at any depth, as its parent and key. */
function placesIn(value: unknown): [holder: Holder, name: string | number][] {
  if (value === null || typeof value !== 'object') return []
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [...names].flatMap((name) => [[value as Holder, name], ...placesIn((value as Holder)[name])]) as [
    Holder,
    string | number
  ][]
}

/** A copy of a body with one or two values changed, removed or added. */
function mutated(body: unknown): unknown {
  const copy = structuredClone(body)
  for (let times = 1 + below(2); times > 0; times--) {
    const place = oneOf(placesIn(copy))
    if (place) mutate(...place)
  }
  return random() < 0.02 ? oneOf(odd) : copy
}

function mutate(holder: Holder, name: string | number): void {
  const put = (at: string | number, value: unknown) =>
    Object.defineProperty(holder, at, {
      value: structuredClone(value),
      enumerable: true,
      configurable: true,
      writable: true
    })
  const alike = odd.filter((value) => typeof value === typeof holder[name])
  const changes = [
    ...Array(4).fill(() => put(name, oneOf(alike))),
    () => put(name, oneOf(odd)),
    () => put(name, [holder[name]]),
    () => (Array.isArray(holder) ? holder.splice(Number(name), 1) : delete holder[name]),
    () =>
      put(Array.isArray(holder) ? holder.length : oneOf(names), random() < 0.5 ? holder[name] : oneOf(odd))
  ]
  oneOf(changes)()
}

/** A text with a few characters changed, which may make it invalid JSON. */
function scrambled(text: string): Buffer {
  const bytes = Buffer.from(text)
  for (let times = below(3) + 1; times > 0; times--) bytes[below(bytes.length)] = below(256)
  return random() < 0.2 ? bytes.subarray(0, below(bytes.length)) : bytes
}

const pointers = [
  '',
  '/',
  '/id',
  '/name',
  '/status',
  '/status/code',
  '/priority',
  '/notes',
  '/notes/-',
  '/notes/0',
  '/notes/0/note',
  '/receiver',
  '/receiver/name',
  '/receiver/patient',
  '/receiver/addressLine 1',
  '/identifiers',
  '/identifiers/-',
  '/buyer',
  '/seller',
  '/item',
  '/action',
  '/action/code',
  '/order',
  '/nope',
  '/__proto__',
  '/receiver/constructor',
  '/~0',
  '/~1',
  '/~',
  'x'
]
const statuses = ['DRAFT', 'SUBMITTED', 'ACCEPTED', 'REJECTED', 'FULFILLED', 'CANCELLED', 'UNFULFILLED']

const operation = () => ({
  op: oneOf(['add', 'replace', 'test', 'remove', 'move', 'copy']),
  path: oneOf(pointers),
  from: oneOf(pointers),
  value: oneOf([...odd, ...statuses, { note: secret }, [{ note: 'x', timestamp: oneOf(odd) }]])
})

/** Every writing route with a valid body. */
function* targets(
  g: PopulatedWorld
): Generator<{ method: 'POST' | 'PUT' | 'PATCH'; url: string; path: string; body: () => unknown }> {
  const full = bodies(g)
  const item = full[`${catalogue}/catalogue-item`]
  const device = { manufacturer: null, model: null, version: null }
  const service = {
    ...item,
    ...device,
    catalogueItemType: 'Service',
    serviceType: 'REPAIR',
    relatedTo: g.monitor
  }
  for (const route of Object.keys(table)) {
    const [method = '', path = ''] = route.split(' ')
    if (!/POST|PUT|PATCH/.test(method)) continue
    const target = { [`${orders}/order`]: g.order, [`${orders}/order-line`]: g.line }[
      path.replace('/:id', '')
    ]
    const url = path.replace(':id', idOf(target ?? g.account))
    const base = full[path.replace('/:id', '')] ?? [full[path.replace(/s$/, '')]]
    const start = () => (/catalogue-item(\/|$)/.test(path) && random() < 0.5 ? service : base)
    const body =
      method === 'PATCH' ? () => Array.from({ length: 1 + below(3) }, operation) : () => mutated(start())
    yield { method: method as 'POST', url, path, body }
  }
}

t.test(`random bodies, seed ${seed}`, async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const seen = new Set<number>()
  for (const { method, path, body, ...target } of targets(g)) {
    const faults: unknown[] = []
    for (let round = 0; round < rounds[method]; round++) {
      // A fresh draft, because a patch of a submitted order can change less.
      const draft =
        method === 'PATCH' && path.endsWith('order/:id') && round % 2 === 0
          ? await g.createDraft()
          : undefined
      const whole = JSON.stringify(body())
      const payload = round % 4 === 3 ? scrambled(whole) : whole
      const request: InjectOptions = {
        method,
        url: draft ? pathOf(draft) : target.url,
        headers: json,
        payload
      }
      const response = await writerOf(g, path).send(request)
      seen.add(response.status)
      if (response.status >= 500) faults.push([outcome(response), String(payload).slice(0, 500)])
      if (response.status >= 400 && response.status < 500) faults.push(...refusalErrors(response))
    }
    t.same(faults, [], `${method} ${path}`)
  }
  for (const status of [201, 204, 400, 422]) t.ok(seen.has(status), `some got ${status}`)
})
