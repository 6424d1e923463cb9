import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { oneOfEach } from '../fixtures/effort.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { bodies, writerOf } from '../fixtures/routes/bodies.js'
import { type PopulatedWorld, populatedWorld } from '../fixtures/routes/populated-world.js'
import {
  assertRejections,
  jsonHeader,
  outcome,
  payloadOf,
  problemViolations,
  secret
} from '../fixtures/routes/refusal.js'
import { table } from '../fixtures/routes/table.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, pathOf } from '../fixtures/world.js'

const resourceOf = (route: string) => route.replace(/^\w+ /, '').replace('/:id', '')

/** Required members of a body that creates a resource. */
const requiredMembers: Record<string, string[]> = {
  [`${orders}/party`]: ['allowedRoles', 'name', 'organization'],
  [`${orders}/contract`]: [
    ...['name', 'validityPeriod', 'validityPeriod/start', 'validityPeriod/end', 'seller', 'account', 'buyer']
  ],
  [`${orders}/order`]: [
    ...['buyer', 'seller', 'receiver', 'receiver/name', 'receiver/patient', 'identifiers/0/system'],
    ...['identifiers/0/value', 'notes/0/note']
  ],
  [`${orders}/orderability`]: ['buyer', 'patient', 'items'],
  [`${orders}/subscription`]: ['target', 'types'],
  [`${orders}/order-line`]: ['order', 'item', 'action', 'action/system', 'action/code'],
  [`${catalogue}/catalogue`]: ['seller', 'name', 'status/system', 'status/code'],
  [`${catalogue}/catalogue-item`]: ['catalogueItemType', 'catalogue', 'name', 'manufacturer', 'model'],
  [`${catalogue}/annotation`]: ['catalogueItem', 'buyer', 'name', 'value', 'value/system', 'value/code'],
  [`${catalogue}/white-list`]: ['buyer', 'item'],
  [`${catalogue}/black-list`]: ['patient', 'item']
}

/** Routes that accept a JSON body; those that act on a resource have none. */
const routesWithBody = Object.keys(table).filter(
  (route) => /^(POST|PUT|PATCH)/.test(route) && !/\/:id\/(pause|resume|test|rotate)$/.test(route)
)

/** Routes that create or replace one resource. */
const routesWithResource = routesWithBody.filter(
  (route) => /^POST|^PUT .*:id$/.test(route) && resourceOf(route) in requiredMembers
)

function addressOf(g: PopulatedWorld, route: string) {
  const [method = '', path = ''] = route.split(' ')
  const open: Record<string, string> = {
    [`${orders}/order/:id`]: g.order,
    [`${orders}/order-line/:id`]: g.line
  }
  return {
    path,
    address: { method: method as 'POST', url: path.replace(':id', idOf(open[path] ?? g.account)) }
  }
}

/** Tests that a route rejects invalid JSON, and JSON that two parsers may read differently. */
async function testInvalidJson(t: Test, { sql }: TestApp, g: PopulatedWorld, route: string) {
  const { path, address } = addressOf(g, route)
  const caller = writerOf(g, path)
  const send = (payload: string | Buffer): InjectOptions => ({ ...address, headers: jsonHeader, payload })
  const whole = JSON.stringify(bodies(g)[path] ?? [])
  const isArray = whole.startsWith('[')
  const inside = (text: string) => (isArray ? `[{"op":${text}}]` : `{"name":${text}}`)
  const malformed: Record<string, string | Buffer> = {
    truncated: `{"name":"${secret}`,
    'an extra comma': `{"name":"${secret}",}`,
    'single quotes': `{'name':'${secret}'}`,
    'two values': `${whole}${whole}`,
    NaN: inside('NaN'),
    'a blank': ' ',
    'broken UTF-8': broken(inside('"?"'), 0xff),
    'an overlong NUL': broken(inside('"?"'), 0xc0, 0x80),
    'a surrogate in UTF-8': broken(inside('"?"'), 0xed, 0xa0, 0x80),
    'a raw NUL': broken(inside('"?"'), 0),
    'UTF-16': Buffer.from(whole, 'utf16le'),
    __proto__escaped: inside('{"\\u005f_proto__":1}'),
    'a __proto__': inside('{"__proto__":{"admin":true}}'),
    'constructor.prototype': inside('{"constructor":{"prototype":{}}}')
  }
  const unstorable: Record<string, string> = {
    NUL: inside('"a\\u0000b"'),
    'a high surrogate': inside('"\\ud800"'),
    'a low surrogate': inside('"\\udc00x"'),
    'reversed surrogates': inside('"\\udc00\\ud800"'),
    'NUL in a key': inside('{"a\\u0000":1}'),
    'a surrogate in a key': inside('{"\\udfff":1}')
  }
  await writingNothing(t, sql, async () => {
    await assertRejections(t, caller, [
      ...Object.entries(malformed).map(
        ([what, payload]) => [what, send(payload), '400 malformed-json'] as const
      ),
      ...Object.entries(unstorable).map(
        ([what, payload]) => [what, send(payload), '400 malformed-text'] as const
      ),
      ['nothing', { ...address, headers: jsonHeader }, '400 invalid-body']
    ])
    const takesArray = isArray || path.endsWith('items')
    const others = takesArray ? ['{}', '[null]'] : ['[]', '[{}]']
    for (const payload of ['null', 'true', '42', `"${secret}"`, ...others])
      t.match(outcome(await caller.send(send(payload))), /^400 invalid-body/, payload)
  })
  t.notOk('admin' in {}, 'no prototype was changed')
}

/** Tests that a route rejects faulty bodies of its resource. */
async function testFaultyBodies(t: Test, { sql }: TestApp, g: PopulatedWorld, route: string) {
  const { address } = addressOf(g, route)
  const resource = resourceOf(route)
  const body = bodies(g)[resource] ?? {}
  await writingNothing(t, sql, async () => {
    for (const { what, body: faulty, wanted } of faultyBodies(body, requiredMembers[resource] ?? [])) {
      // Another id, or text as an id, is not a schema violation in a PUT.
      if (route.startsWith('PUT') && what.startsWith('/id ')) continue
      const response = await writerOf(g, resource).send({ ...address, ...payloadOf(faulty) })
      t.match(outcome(response), wanted, what)
      t.same(problemViolations(response), [], `${what}: a well-formed problem`)
    }
  })
}

function broken(text: string, ...bytes: number[]): Buffer {
  const [before = '', after = ''] = text.split('?')
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

/** A value of another type, by type. */
const otherTypes: Record<string, unknown> = {
  string: 7,
  number: '7',
  boolean: 'true',
  array: secret,
  object: secret,
  coding: 7,
  null: secret
}
function typeOf(value: unknown, name: string | number = ''): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  // If the field implies the value set, a bare code is accepted for the coding.
  return typeof value === 'object' && ['status', 'action'].includes(String(name)) ? 'coding' : typeof value
}

type Path = readonly (string | number)[]

/** Every value in a body, at any depth, with its path. */
function* valuesIn(value: unknown, path: Path = []): Generator<[Path, unknown]> {
  if (path.length > 0) yield [path, value]
  if (value === null || typeof value !== 'object') return
  for (const [name, member] of Object.entries(value))
    yield* valuesIn(member, [...path, Array.isArray(value) ? Number(name) : name])
}

/** A copy of a body with one value changed; undefined removes it. */
function changed(body: unknown, path: Path, value: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>
  const [last = '', ...above] = [...path].reverse()
  const holder = above.reverse().reduce((at, name) => at[name] as Record<string, unknown>, copy)
  holder[last] = value
  return copy
}

/** A body with one error, and the expected outcome. */
interface FaultyBody {
  what: string
  body: unknown
  wanted: RegExp
}

/** Bodies with one error each: a type, a length, an unknown or a missing member. */
function* faultyBodies(body: object, required: readonly string[]): Generator<FaultyBody> {
  const fault = (path: Path, value: unknown): FaultyBody => ({
    what: `/${path.join('/')} ${JSON.stringify(value)?.slice(0, 40)}`,
    body: changed(body, path, value),
    wanted: new RegExp(`^400 invalid-body /${path.join('/')}(/|$)`)
  })
  for (const [path, value] of valuesIn(body)) {
    const type = typeOf(value, path.at(-1))
    yield fault(path, otherTypes[type])
    if (typeof value === 'string') yield fault(path, secret.repeat(1000))
    if (/object|coding/.test(type)) yield fault([...path, 'unknown'], secret)
  }
  for (const name of ['unknown', 'Name', 'constructor']) yield fault([name], secret)
  for (const pointer of required)
    for (const value of [undefined, null]) yield fault(pointer.split('/'), value)
}

/** The method, and whether the body is an array. */
const kindOf = (route: string) => `${route.split(' ')[0]} ${/items$/.test(route)}`

t.test('bodies', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  for (const route of oneOfEach(routesWithBody, kindOf))
    t.test(`${route} rejects invalid JSON`, (t) => testInvalidJson(t, app, g, route))

  t.test('uses the last of duplicate members', async (t) => {
    const payload = `{"seller":1,"seller":"${g.seller}","name":"One","na\\u006de":null}`
    const sent = { method: 'POST', url: `${catalogue}/catalogue`, headers: jsonHeader, payload } as const
    t.equal(outcome(await g.clerk.send(sent)), '400 invalid-body /name')
  })

  t.test('a deep body', async (t) => {
    const nest = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const sent = { headers: jsonHeader, payload: `{"name":${nest}}` }
    t.equal(
      outcome(await g.clerk.send({ ...sent, method: 'POST', url: `${orders}/party` })),
      '400 malformed-json'
    )
    const payload = `[{"op":"test","path":"/receiver","value":${nest}}]`
    const patched = await g.nurse.send({ ...sent, method: 'PATCH', url: pathOf(g.order), payload })
    t.equal(outcome(patched), '400 malformed-json')
  })

  for (const route of routesWithResource)
    t.test(`${route} rejects bodies that violate its schema`, (t) => testFaultyBodies(t, app, g, route))
})
