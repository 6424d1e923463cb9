import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { bodies, writerOf } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { json, outcome, payloadOf, refusalErrors, refused, secret } from '../fixtures/routes/refusal.js'
import { table } from '../fixtures/routes/table.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, pathOf } from '../fixtures/world.js'

t.test('bodies', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const full = bodies(g)
  const write = Object.keys(table).filter((route) => /^(POST|PUT|PATCH)/.test(route) && !isAction(route))
  const open: Record<string, string> = {
    [`${orders}/order/:id`]: g.order,
    [`${orders}/order-line/:id`]: g.line
  }
  const addressOf = (route: string) => {
    const [method = '', path = ''] = route.split(' ')
    return { method: method as 'POST', url: path.replace(':id', idOf(open[path] ?? g.account)), path }
  }

  t.test('invalid JSON', async (t) => {
    await writingNothing(t, app.sql, async () => {
      for (const route of write) {
        const { path, ...address } = addressOf(route)
        const send = (payload: string | Buffer): InjectOptions => ({ ...address, headers: json, payload })
        const whole = JSON.stringify(full[path] ?? [])
        const inside = (text: string) => (whole.startsWith('[') ? `[{"op":${text}}]` : `{"name":${text}}`)
        await refused(t, writerOf(g, path), [
          [`${route} truncated`, send(`{"name":"${secret}`), '400 malformed-json'],
          [`${route} an extra comma`, send(`{"name":"${secret}",}`), '400 malformed-json'],
          [`${route} single quotes`, send(`{'name':'${secret}'}`), '400 malformed-json'],
          [`${route} two values`, send(`${whole}${whole}`), '400 malformed-json'],
          [`${route} NaN`, send(inside('NaN')), '400 malformed-json'],
          [`${route} a blank`, send(' '), '400 malformed-json'],
          [`${route} broken UTF-8`, send(broken(inside('"?"'), 0xff)), '400 malformed-json'],
          [`${route} an overlong NUL`, send(broken(inside('"?"'), 0xc0, 0x80)), '400 malformed-json'],
          [
            `${route} a surrogate in UTF-8`,
            send(broken(inside('"?"'), 0xed, 0xa0, 0x80)),
            '400 malformed-json'
          ],
          [
            `${route} a duplicate member`,
            send(inside('{"a":1,"b":{"a":2},"\\u0061":3}')),
            `400 malformed-json ${whole.startsWith('[') ? '/0/op/a' : '/name/a'}`
          ],
          [`${route} a raw NUL`, send(broken(inside('"?"'), 0)), '400 malformed-json'],
          [`${route} UTF-16`, send(Buffer.from(whole, 'utf16le')), '400 malformed-json'],
          [`${route} __proto__`, send(inside('{"__proto__":{"admin":true}}')), '400 malformed-json'],
          [`${route} __proto__ escaped`, send(inside('{"\\u005f_proto__":1}')), '400 malformed-json'],
          [
            `${route} constructor.prototype`,
            send(inside('{"constructor":{"prototype":{}}}')),
            '400 malformed-json'
          ],
          [`${route} NUL`, send(inside('"a\\u0000b"')), '400 malformed-text'],
          [`${route} a high surrogate`, send(inside('"\\ud800"')), '400 malformed-text'],
          [`${route} a low surrogate`, send(inside('"\\udc00x"')), '400 malformed-text'],
          [`${route} reversed surrogates`, send(inside('"\\udc00\\ud800"')), '400 malformed-text'],
          [`${route} NUL in a key`, send(inside('{"a\\u0000":1}')), '400 malformed-text'],
          [`${route} a surrogate in a key`, send(inside('{"\\udfff":1}')), '400 malformed-text'],
          [`${route} nothing`, { ...address, headers: json }, '400 invalid-body']
        ])
        const array = whole.startsWith('[') || path.endsWith('items')
        for (const payload of [
          'null',
          'true',
          '42',
          `"${secret}"`,
          array ? '{}' : '[]',
          array ? '[null]' : '[{}]'
        ])
          t.match(
            outcome(await writerOf(g, path).send(send(payload))),
            /^400 invalid-body/,
            `${route} ${payload}`
          )
      }
    })
    t.notOk('admin' in {}, 'no prototype was changed')
  })

  t.test('duplicate members', async (t) => {
    const twice = '{"name":"One","seller":{"a/b":[{},{"name":1,"na\\u006de":2}]},"status":"ACTIVE"}'
    const response = await g.clerk.send({
      method: 'POST',
      url: `${catalogue}/catalogue`,
      headers: json,
      payload: twice
    })
    t.match(response.body, {
      detail: 'In the body: duplicate member /seller/a~1b/1/name. Send it once.',
      errors: [{ pointer: '/seller/a~1b/1/name' }]
    })
  })

  t.test('nesting up to the limit', async (t) => {
    const deep = (open: string, close: string, inside = '1') =>
      open.repeat(100_000) + inside + close.repeat(100_000)
    const nests = [
      deep('[', ']'),
      deep('[', ']', '"\\u0041"'),
      deep('{"a":', '}'),
      deep('{"a":', '}', '"\\u0041"')
    ]
    for (const [at, nest] of nests.entries()) {
      const operation = (op: string, path: string) => `[{"op":"${op}","path":"${path}","value":${nest}}]`
      const party: InjectOptions = {
        method: 'POST',
        url: `${orders}/party`,
        headers: json,
        payload: `{"name":${nest}}`
      }
      t.match(outcome(await g.clerk.send(party)), /^400 /, `a member, ${at}`)
      for (const [op, path] of [
        ['add', '/name'],
        ['replace', '/receiver'],
        ['test', '/receiver'],
        ['add', '/notes/-']
      ]) {
        const payload = operation(op ?? '', path ?? '')
        const response = await g.nurse.send({ method: 'PATCH', url: pathOf(g.order), headers: json, payload })
        t.match(outcome(response), /^4\d\d /, `${op} ${path}, ${at}`)
      }
    }
  })

  t.test('schema violations', async (t) => {
    for (const [path, body] of Object.entries(full))
      for (const route of [`POST ${path}`, `PUT ${path}/:id`].filter((each) => each in table))
        await writingNothing(t, app.sql, async () => {
          const { path: _, ...address } = addressOf(route)
          for (const [what, faulty, wanted] of faultsIn(body, required[path] ?? [])) {
            // Another id, or text as an id, is not a schema violation in a PUT.
            if (route.startsWith('PUT') && what.startsWith('/id ')) continue
            const response = await writerOf(g, path).send({ ...address, ...payloadOf(faulty) })
            t.match(outcome(response), wanted, `${route} ${what}`)
            t.same(refusalErrors(response), [], `${route} ${what}: a well-formed problem`)
          }
        })
  })

  t.test('too large', async (t) => {
    const order = `${orders}/order`
    const note = (note: string) => ({ ...full[order], notes: [{ note }] })
    const text = (size: number) => 'x'.repeat(size)
    const [items, item] = [`${catalogue}/catalogue-items`, full[`${catalogue}/catalogue-item`]]
    const post = (url: string, body: unknown): InjectOptions => ({ method: 'POST', url, ...payloadOf(body) })
    const many = (length: number, each: unknown) => Array.from({ length }, () => each)
    const status = (value: unknown) => post(order, { ...full[order], status: value })
    const padded = (size: number) => post(items, [{ ...item, description: text(size) }])
    await writingNothing(t, app.sql, async () => {
      await refused(t, g.nurse, [
        ['a body over 1 MiB', post(order, { name: text(1_048_576) }), '413 payload-too-large'],
        [
          'a patch over 1 MiB',
          { ...post(pathOf(g.order), [text(1_048_576)]), method: 'PATCH' },
          '413 payload-too-large'
        ],
        ['a name over 4,000', post(order, { ...full[order], name: text(4001) }), '400 invalid-body /name'],
        ['a code over 255', status(text(256)), '400 invalid-body /status'],
        ['a code of 255', status(text(255)), '422 unknown-coding /status'],
        [
          'a coding’s code over 255',
          status({ system: 's', code: text(256) }),
          '400 invalid-body /status/code'
        ],
        [
          'a coding’s system over 2,048',
          status({ system: text(2049), code: 'DRAFT' }),
          '400 invalid-body /status/system'
        ],
        [
          'a reference over 2,048',
          post(order, { ...full[order], buyer: text(2049) }),
          '400 invalid-body /buyer'
        ],
        ['a note over 10,000', post(order, note(text(10_001))), '400 invalid-body /notes/0/note'],
        [
          'over 1,000 notes',
          post(order, { ...full[order], notes: many(1001, { note: '' }) }),
          '400 invalid-body /notes'
        ]
      ])
      await refused(t, g.clerk, [
        ['a bulk over 10 MiB', padded(10_485_760), '413 payload-too-large'],
        ['a bulk over 1 MiB with too long a text', padded(2_000_000), '400 invalid-body /0/description'],
        ['over 5,000 items', post(items, many(5001, {})), '400 invalid-body'],
        [
          'over 1,000 buyers',
          post(`${orders}/contract`, { ...full[`${orders}/contract`], buyer: many(1001, g.buyer) }),
          '400 invalid-body /buyer'
        ]
      ])
    })
    const admitted = { ...full[order], name: text(4000), notes: [{ note: text(10_000) }] }
    t.equal((await g.nurse.post(order, admitted)).status, 201, 'the maximum is accepted')
  })
})

/** Whether a route acts on a resource. These have no body. */
const isAction = (route: string) => /\/:id\/(pause|resume|test|rotate)$/.test(route)

function broken(text: string, ...bytes: number[]): Buffer {
  const [before = '', after = ''] = text.split('?')
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

/** Required members of a create. */
const required: Record<string, string[]> = {
  [`${orders}/party`]: ['allowedRoles', 'name', 'organization'],
  [`${orders}/contract`]: [
    'name',
    'validityPeriod',
    'validityPeriod/start',
    'validityPeriod/end',
    'seller',
    'account',
    'buyer'
  ],
  [`${orders}/order`]: [
    'buyer',
    'seller',
    'receiver',
    'receiver/name',
    'receiver/patient',
    'identifiers/0/system',
    'identifiers/0/value',
    'notes/0/note'
  ],
  [`${orders}/subscription`]: ['target', 'types'],
  [`${orders}/order-line`]: ['order', 'item', 'action', 'action/system', 'action/code'],
  [`${catalogue}/catalogue`]: ['seller', 'name', 'status/system', 'status/code'],
  [`${catalogue}/catalogue-item`]: ['catalogueItemType', 'catalogue', 'name', 'manufacturer', 'model'],
  [`${catalogue}/annotation`]: ['catalogueItem', 'buyer', 'name', 'value', 'value/system', 'value/code'],
  [`${catalogue}/white-list`]: ['buyer', 'item'],
  [`${catalogue}/black-list`]: ['patient', 'item']
}

/** Values of other types, by type. */
const otherTypes: Record<string, unknown[]> = {
  string: [7, true, [], {}],
  number: ['7', 1.5, true, [], {}],
  boolean: ['true', 1, [], {}],
  array: [secret, 7, true, {}],
  object: [secret, 7, true, []],
  coding: [7, true, []],
  null: [secret, 7, true, [], {}]
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

/**
 * Bodies with one error each (a type, a length, an unknown or a missing member) and the expected
 * outcome.
 */
function* faultsIn(
  body: object,
  required: readonly string[]
): Generator<[what: string, faulty: unknown, RegExp]> {
  const at = (path: Path) => new RegExp(`^400 invalid-body /${path.join('/')}(/|$)`)
  for (const [path, value] of valuesIn(body)) {
    const name = `/${path.join('/')}`
    for (const other of otherTypes[typeOf(value, path.at(-1))] ?? [])
      yield [`${name} ${JSON.stringify(other)}`, changed(body, path, other), at(path)]
    if (typeof value === 'string')
      yield [`${name} 10,001 characters`, changed(body, path, secret.repeat(1000)), at(path)]
    if (/object|coding/.test(typeOf(value, path.at(-1))))
      yield [`${name}/unknown`, changed(body, [...path, 'unknown'], secret), at([...path, 'unknown'])]
  }
  for (const name of ['unknown', 'Name', 'url', 'constructor', 'toString'])
    yield [`unknown ${name}`, { ...body, [name]: secret }, at([name])]
  for (const pointer of required)
    for (const value of [undefined, null])
      yield [`${pointer} ${value}`, changed(body, pointer.split('/'), value), at([pointer])]
}
