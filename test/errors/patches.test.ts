import type { InjectOptions } from 'fastify'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { vs } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { type Case, outcome, payloadOf, refused, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { moveTo, pathOf, patient } from '../fixtures/world.js'

const invalidBody = '400 invalid-body'
const noTarget = '422 unpatchable-target'
const noResult = '422 invalid-result'
const readOnly = '422 read-only'

t.test('refused JSON Patches', async (t) => {
  const app = await testApp(t)
  const g = await populatedWorld(app)
  const receiver = {
    name: secret,
    addressLine1: `${secret} 1`,
    email: `${secret}@example.org`,
    patient: patient(secret)
  }
  const draft = await g.createDraft({ receiver, name: 'Draft', notes: [{ note: secret }] })
  const line = await g.addLine(draft)
  const patchOf = (url: string, patch: unknown): InjectOptions => ({
    method: 'PATCH',
    url: pathOf(url),
    ...payloadOf(patch)
  })
  const order = (what: string, patch: unknown, wanted: string): Case => [what, patchOf(draft, patch), wanted]
  await g.nurse.patch(pathOf(g.order), [{ op: 'add', path: '/notes/-', value: { note: 'first' } }], 204)
  const one = (wanted: string, ...operations: object[]): Case =>
    order(JSON.stringify(operations), operations, wanted)
  const sent = (wanted: string, ...operations: object[]): Case => [
    `sent: ${JSON.stringify(operations)}`,
    patchOf(g.order, operations),
    wanted
  ]

  t.test('malformed patches', async (t) => {
    const replace = { op: 'replace', path: '/name', value: 'x' }
    await writingNothing(t, app.sql, async () => {
      await refused(t, g.nurse, [
        ...[{}, replace, null, 'replace', 7, true].map((body) =>
          order(JSON.stringify(body), body, invalidBody)
        ),
        ...[null, 'x', 7, true, []].map((each) =>
          order(`[${JSON.stringify(each)}]`, [each], `${invalidBody} /0`)
        ),
        order('51 operations', Array(51).fill({ op: 'test', path: '/name', value: 'Draft' }), invalidBody)
      ])
      const faulty: Record<string, unknown>[] = [
        {},
        ...['merge', '_get', 'ADD', '', '__proto__', 'constructor', 'toString', 7, null, {}, ['add']].map(
          (op) => ({ ...replace, op })
        ),
        { path: '/name', value: 'x' },
        { op: 'replace', value: 'x' },
        ...['add', 'replace', 'test'].map((op) => ({ op, path: '/name' })),
        ...['move', 'copy'].map((op) => ({ op, path: '/name' })),
        ...['move', 'copy'].map((op) => ({ op, path: '/name', from: null })),
        ...[
          'name',
          ' /name',
          'receiver/name',
          '/~',
          '/~2',
          '/a~',
          '/~a',
          '#/name',
          '//~3',
          null,
          7,
          ['name'],
          {}
        ].flatMap((path) => [
          { ...replace, path },
          { op: 'copy', from: path, path: '/name' }
        ]),
        { ...replace, path: `/${'x'.repeat(4001)}` }
      ]
      for (const operation of faulty) {
        const [what, request] = one('', { op: 'test', path: '/name', value: 'Draft' }, operation)
        t.match(outcome(await g.nurse.send(request)), /^400 invalid-body( \/1)?/, what)
      }
    })
  })

  t.test('invalid paths', async (t) => {
    await writingNothing(t, app.sql, async () => {
      await refused(t, g.nurse, [
        ...[
          '/nope',
          '/receiver/nope',
          '/notes/1',
          '/notes/-',
          '/notes/-1',
          '/notes/1e0',
          '/notes/ 0',
          '/notes/0x0',
          '/name/0',
          '/',
          '/receiver/name/first',
          '/identifiers/0/value'
        ].flatMap((path) => [
          one(`${noTarget} /0`, { op: 'replace', path, value: secret }),
          one(`${noTarget} /0`, { op: 'remove', path }),
          one(`${noTarget} /0`, { op: 'move', from: path, path: '/name' }),
          one(`${noTarget} /0`, { op: 'copy', from: path, path: '/name' })
        ]),
        ...['/notes/00', '/notes/01', '/notes/2', '/notes/x', '/nope/nope', '/name/x', '/identifiers/1'].map(
          (path) => one(`${noTarget} /0`, { op: 'add', path, value: { note: secret } })
        ),
        ...[
          '/__proto__/x',
          '/constructor/prototype/x',
          '/receiver/__proto__/x',
          '/notes/__proto__/x',
          '/notes/constructor/x'
        ].flatMap((path) => [
          one(`${noTarget} /0`, { op: 'add', path, value: true }),
          one(`${noTarget} /0`, { op: 'copy', from: '/name', path })
        ]),
        ...['/toString', '/constructor', '/receiver/valueOf', '/notes/length'].flatMap((path) => [
          one(`${noTarget} /0`, { op: 'copy', from: path, path: '/name' }),
          one(`${noTarget} /0`, { op: 'move', from: path, path: '/name' }),
          one(`${noTarget} /0`, { op: 'remove', path })
        ]),
        ...['/nope', '/notes/-', '/receiver/nope', '/toString'].flatMap((from) => [
          one(`${noTarget} /0`, { op: 'copy', from, path: '' }),
          one(`${noTarget} /0`, { op: 'move', from, path: '' })
        ]),
        one(`${noTarget} /1`, { op: 'replace', path: '/name', value: 'x' }, { op: 'remove', path: '/nope' }),
        one(`${noTarget} /0`, { op: 'move', from: '/receiver', path: '/receiver/name' }),
        ...['/nope', '/receiver/nope', '/notes/0/nope', '/status/nope', '/name/x'].map((path) =>
          one(
            `${noTarget} /1`,
            { op: 'test', path: '/name', value: 'another' },
            { op: 'add', path, value: secret }
          )
        ),
        ['line', patchOf(line, [{ op: 'add', path: '/nope', value: secret }]), `${noTarget} /0`]
      ])
      for (const path of ['/__proto__', '/receiver/__proto__', '/constructor', '/toString', '/notes/length'])
        for (const op of ['add', 'replace', 'remove', 'test']) {
          const response = await g.nurse.send(patchOf(draft, [{ op, path, value: { polluted: true } }]))
          t.match(outcome(response), /^4(09|22) /, `${op} ${path}`)
        }
    })
    t.notOk('polluted' in {} || 'x' in {}, 'no prototype was changed')
  })

  t.test('failing test operations', async (t) => {
    const tests: [path: string, value: unknown][] = [
      ['/name', 'draft'],
      ['/name', null],
      ['/priority', 0],
      ['/receiver/name', 'Somebody'],
      ['/receiver', {}],
      ['/notes', []],
      ['/notes/0/note', secret.toLowerCase()],
      ['/identifiers', {}],
      ['', {}]
    ]
    await writingNothing(t, app.sql, async () => {
      await refused(
        t,
        g.nurse,
        tests.map(([path, value]) =>
          one('409 failed-test', { op: 'replace', path: '/name', value: 'x' }, { op: 'test', path, value })
        )
      )
    })
  })

  t.test('invalid results', async (t) => {
    const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
    const remove = (path: string) => ({ op: 'remove', path })
    const whole = (await g.nurse.get(pathOf(draft), 200)).body
    await writingNothing(t, app.sql, async () => {
      await refused(t, g.nurse, [
        ...[
          'buyer',
          'seller',
          'receiver',
          'id',
          'status',
          'receiver/name',
          'notes/0/note',
          'status/code'
        ].map((name) => one(`${noResult} /${name}`, remove(`/${name}`))),
        one(`${noResult} /receiver/patient`, remove('/receiver/patient')),
        one(`${noResult} /receiver/patient`, replace('/receiver/patient', null)),
        one(`${noResult} /name`, replace('/name', 'x'.repeat(4001))),
        one(`${noResult} /notes/1/note`, {
          op: 'add',
          path: '/notes/-',
          value: { note: 'x'.repeat(10_001) }
        }),
        one(`${noResult} /notes/1/note`, { op: 'add', path: '/notes/-', value: {} }),
        one(`${noResult} /receiver/nope`, replace('/receiver', { ...receiver, nope: secret })),
        one(`${noResult} /nope`, replace('', { ...whole, nope: secret })),
        one(`${noResult} /priority`, replace('/priority', 'true')),
        one(`${noResult} /receiver`, replace('/receiver', null)),
        one(`${noResult} /name`, { op: 'copy', from: '/receiver', path: '/name' }),
        one(`${noResult} /name`, { op: 'copy', from: '', path: '/name' }),
        ...[null, [], 'x', 7].map((value) => one(noResult, replace('', value))),
        one(noResult, remove('')),
        one(`${readOnly} /id`, replace('', { ...whole, id: idOf(g.order) })),
        one(`${readOnly} /id`, replace('/id', idOf(g.order))),
        one(`${readOnly} /id`, replace('/id', '')),
        one(`${readOnly} /id`, { op: 'copy', from: '/name', path: '/id' }),
        one('422 unknown-coding /status', replace('/status/code', secret)),
        one('422 unknown-coding /status', replace('/status', vs('order-line-status', 'SUBMITTED'))),
        one('422 dangling-reference /seller', replace('/seller', g.contract)),
        one('422 dangling-reference /receiver/patient', replace('/receiver/patient', secret)),
        one('409 illegal-transition', replace('/name', 'x'), ...moveTo('DRAFT')),
        one('409 illegal-transition', ...moveTo('FULFILLED'), replace('/name', 'x')),
        sent('422 order-not-draft /name', replace('/name', 'x')),
        sent('422 order-not-draft /receiver', replace('/receiver/name', secret)),
        sent('422 order-not-draft /seller', replace('/seller', g.otherSeller)),
        sent(
          '422 append-only-notes',
          { op: 'add', path: '/notes/-', value: { note: secret } },
          remove('/notes/0')
        ),
        sent('403 not-your-move', ...moveTo('ACCEPTED'))
      ])
      await refused(t, g.provider, [
        sent('403 not-your-move', ...moveTo('CANCELLED')),
        sent('403 not-your-move', replace('/priority', true)),
        sent('403 not-your-move /name', replace('/name', 'x'))
      ])
      const onLine = (wanted: string, operation: object): Case => [
        `line: ${JSON.stringify(operation)}`,
        patchOf(line, [operation]),
        wanted
      ]
      await refused(t, g.nurse, [
        onLine(`${readOnly} /id`, replace('/id', idOf(g.line))),
        onLine(`${readOnly} /order`, replace('/order', g.order)),
        onLine(`${noResult} /item`, remove('/item')),
        onLine(`${noResult} /order`, remove('/order')),
        onLine('422 dangling-reference /item', replace('/item', g.catalogue)),
        onLine('422 unknown-coding /action', replace('/action', secret)),
        onLine('422 unknown-coding /action', replace('/action/system', 'urn:x')),
        onLine('409 illegal-transition', replace('/status/code', 'UNFULFILLED'))
      ])
    })
  })

  t.test('patches that grow beyond the limit', async (t) => {
    const began = process.cpuUsage()
    const copies = (from: string, path: string) =>
      Array.from({ length: 45 }, () => ({ op: 'copy', from, path }))
    const list = { op: 'replace', path: '/notes', value: [{ note: 'x'.repeat(1000) }] }
    await writingNothing(t, app.sql, async () => {
      for (const patch of [
        [list, ...copies('/notes', '/notes/-')],
        [list, ...copies('/notes', '/notes/0/note')],
        [list, ...copies('', '/name')],
        [...copies('', '/receiver')],
        [
          { op: 'add', path: '/notes/-', value: { note: 'x'.repeat(1_000_000) } },
          ...copies('/notes/1', '/notes/-')
        ],
        Array.from({ length: 50 }, () => ({ op: 'add', path: '/notes/-', value: 'x'.repeat(20_000) }))
      ]) {
        const response = await g.nurse.send(patchOf(draft, patch))
        t.match(outcome(response), /^(413 payload-too-large|422 )/, JSON.stringify(patch).slice(0, 80))
      }
    })
    const { user, system } = process.cpuUsage(began)
    t.ok(user + system < 3_000_000, `bounded processor time: ${user + system} µs`)
  })
})
