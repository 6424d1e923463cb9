import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { outcome, problemViolations, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { add, pathOf, patient, replace, world } from '../fixtures/world.js'

/* JSON Patches that no resource accepts. The rules of orders are in test/order/patch.test.ts. */

const app = await testApp(t)
const w = await world(app)
const receiver = { name: secret, addressLine1: `${secret} 1`, patient: patient(secret) }
const draft = await w.createDraft({ receiver, name: 'Draft', notes: [{ note: secret }] })
const line = await w.addLine(draft)
const whole = (await w.nurse.get(pathOf(draft), 200)).body

const remove = (path: unknown) => ({ op: 'remove', path })
const test = (path: unknown, value: unknown) => ({ op: 'test', path, value })
const move = (from: unknown, path: unknown) => ({ op: 'move', from, path })
const copy = (from: unknown, path: unknown) => ({ op: 'copy', from, path })

const rename = replace('/name', 'x')
const passing = test('/name', 'Draft')

interface Case {
  url?: string
  patch: unknown
  refusal: string | RegExp
}

/** Asserts that patches, of the draft unless a URL is given, are rejected and write nothing. */
function refuses(title: string, cases: readonly Case[]): void {
  t.test(`rejects ${title}`, async (t) => {
    await writingNothing(t, app.sql, async () => {
      for (const { url = draft, patch, refusal } of cases) {
        const response = await w.nurse.patch(pathOf(url), patch)
        const what = JSON.stringify(patch).slice(0, 200)
        if (typeof refusal === 'string') t.equal(outcome(response), refusal, what)
        else t.match(outcome(response), refusal, what)
        t.same(problemViolations(response), [], `${what}: a well-formed problem`)
      }
    })
    t.notOk('polluted' in {}, 'no prototype was changed')
  })
}

refuses('a body that is no array of operations', [
  ...[{}, rename, null, 'replace', 7, true].map((patch) => ({ patch, refusal: '400 invalid-body' })),
  ...[null, 'x', 7, true, []].map((each) => ({ patch: [each], refusal: '400 invalid-body /0' })),
  { patch: Array(51).fill(passing), refusal: '400 invalid-body' }
])

const ops = ['merge', '_get', 'ADD', '', '__proto__', 'constructor', 'toString', 7, null, {}, ['add']]
const pointers = ['name', ' /name', 'receiver/name', '/~', '/~2', '/a~', '/~a', '#/name', '//~3', null, 7, {}]
refuses(
  'an operation with an invalid op or pointer, or without a member that it needs',
  [
    {},
    ...ops.map((op) => ({ ...rename, op })),
    ...['op', 'path', 'value'].map((name) => ({ ...rename, [name]: undefined })),
    ...['add', 'test'].map((op) => ({ op, path: '/name' })),
    ...['move', 'copy'].flatMap((op) => [
      { op, path: '/name' },
      { op, path: '/name', from: null }
    ]),
    ...pointers.flatMap((path) => [replace(path, 'x'), copy(path, '/name')]),
    replace(`/${'x'.repeat(4001)}`, 'x')
  ].map((operation) => ({ patch: [passing, operation], refusal: /^400 invalid-body( \/1)?/ }))
)

const noTarget = '422 unpatchable-target'
refuses('a path that does not exist in the order', [
  ...['/nope', '/notes/1', '/notes/-', '/name/0', '/toString'].flatMap((path) =>
    [replace(path, secret), remove(path), move(path, '/name'), copy(path, '')].map((operation) => ({
      patch: [operation],
      refusal: `${noTarget} /0`
    }))
  ),
  { patch: [rename, remove('/nope')], refusal: `${noTarget} /1` },
  { patch: [move('/receiver', '/receiver/name')], refusal: `${noTarget} /0` },
  { url: line, patch: [add('/nope', secret)], refusal: `${noTarget} /0` }
])

refuses('a path that no order can have before it tests the others', [
  { patch: [test('/name', 'another'), add('/notes/0/nope', secret)], refusal: `${noTarget} /1` }
])

refuses(
  'a path into a prototype',
  [
    '/__proto__',
    '/receiver/__proto__',
    '/constructor/prototype/polluted',
    '/notes/__proto__/polluted'
  ].flatMap((path) =>
    [add(path, true), copy('/name', path)].map((operation) => ({
      patch: [operation],
      refusal: `${noTarget} /0`
    }))
  )
)

refuses(
  'a test of another value',
  [test('/name', 'draft'), test('/priority', 'false'), test('/notes', [])].map((operation) => ({
    patch: [rename, operation],
    refusal: '409 failed-test'
  }))
)

refuses('a result that lacks a required member', [
  ...['buyer', 'seller', 'receiver', 'id', 'status', 'receiver/name', 'notes/0/note', 'status/code'].map(
    (name) => ({ patch: [remove(`/${name}`)], refusal: '422 invalid-result /0' })
  ),
  { patch: [remove('/receiver/patient')], refusal: '422 invalid-result /0' },
  { url: line, patch: [remove('/item')], refusal: '422 invalid-result /0' },
  { url: line, patch: [remove('/order')], refusal: '422 invalid-result /0' }
])

refuses('a result that does not conform to the schema', [
  { patch: [replace('/receiver/patient', null)], refusal: '422 invalid-result /0/value' },
  { patch: [replace('/name', 'x'.repeat(4001))], refusal: '422 invalid-result /0/value' },
  { patch: [add('/notes/-', { note: 'x'.repeat(10_001) })], refusal: '422 invalid-result /0/value/note' },
  { patch: [add('/notes/-', {})], refusal: '422 invalid-result /0/value/note' },
  { patch: [add('/identifiers/-', [{}])], refusal: '422 invalid-result /0/value' },
  {
    patch: [replace('/receiver', { ...receiver, nope: secret })],
    refusal: '422 invalid-result /0/value/nope'
  },
  { patch: [replace('', { ...whole, nope: secret })], refusal: '422 invalid-result /0/value/nope' },
  { patch: [replace('/priority', 'true')], refusal: '422 invalid-result /0/value' },
  { patch: [replace('/status', 7)], refusal: '422 invalid-result /0/value' },
  { patch: [replace('/receiver', null)], refusal: '422 invalid-result /0/value' },
  { patch: [copy('/receiver', '/name')], refusal: '422 invalid-result /0' },
  { patch: [copy('', '/name')], refusal: '422 invalid-result /0' },
  ...[null, [], 'x', 7].map((value) => ({
    patch: [replace('', value)],
    refusal: '422 invalid-result /0/value'
  })),
  { patch: [remove('')], refusal: '422 invalid-result /0' }
])

t.test('an error says which path does not exist, and which operations do', async (t) => {
  const detailOf = async (operation: object) =>
    (await w.nurse.patch(pathOf(draft), [operation])).body.errors[0].detail
  t.equal(
    await detailOf(replace('/state', 'SUBMITTED')),
    'Operation 0 (replace) names /state, which does not exist.'
  )
  t.equal(
    await detailOf({ op: 'set', path: '/name', value: 'x' }),
    'It must be one of add, replace, test, remove, move, copy.'
  )
})
