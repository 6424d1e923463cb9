import { type TSchema, Type } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import type { Problem } from '../../src/platform/errors/problem.js'
import { applyPatch } from '../../src/platform/json/apply-patch.js'
import { type Operation, writesTo } from '../../src/platform/json/json-patch.js'
import type { PatchResultSchema } from '../../src/platform/json/validation.js'

const add = (path: string, value: unknown): Operation => ({ op: 'add', path, value })
const test = (path: string, value: unknown): Operation => ({ op: 'test', path, value })
const remove = (path: string): Operation => ({ op: 'remove', path })
const replace = (path: string, value: unknown): Operation => ({ op: 'replace', path, value })
const move = (from: string, path: string): Operation => ({ op: 'move', from, path })
const copy = (from: string, path: string): Operation => ({ op: 'copy', from, path })

const members = { name: 'n', list: [1, 2, 3], none: null, inner: { a: { b: 'secret', c: 2 } } }
const { name, list, none, inner } = members
const document: object = members

const documentSchema = Type.Object({
  name: Type.String(),
  list: Type.Array(Type.Object({ text: Type.String() })),
  none: Type.Null(),
  'a/b~c': Type.Number(),
  inner: Type.Object({
    a: Type.Object({ b: Type.Object({ c: Type.Number() }), c: Type.Number() }),
    aa: Type.Any(),
    name: Type.String()
  })
})

/** Accepts any result at the paths of a schema. */
const accepting = (schema: TSchema): PatchResultSchema<unknown> => ({
  schema,
  validate: (value) => value,
  validateNormalized: (value) => value
})
const anything = accepting(Type.Any())

/** The result of a patch, or the code of its error, which contains no part of the document. */
function outcomeOf(patch: Operation[], { from = document, schema = anything, maxSize = 1000 } = {}): unknown {
  try {
    return applyPatch(from, patch, schema, maxSize)
  } catch (error) {
    const { code, message, errors } = error as Problem
    t.notMatch(`${message} ${JSON.stringify(errors)}`, /secret/)
    return code
  }
}

interface Case {
  patch: Operation[]
  from?: object
  result: unknown
}

/** Applies patches with and without a schema, and asserts that they modify neither document nor patch. */
function assertResults(t: Test, cases: readonly Case[]): void {
  for (const { patch, from = document, result } of cases)
    for (const schema of from === document ? [anything, accepting(documentSchema)] : [anything]) {
      const before = JSON.stringify([from, patch])
      t.same(outcomeOf(patch, { from, schema }), result, JSON.stringify(patch))
      t.equal(JSON.stringify([from, patch]), before, 'neither document nor patch is modified')
    }
}

const assertRefused = (t: Test, result: string, patches: readonly Operation[][]) =>
  assertResults(
    t,
    patches.map((patch) => ({ patch, result }))
  )

t.test('sets and removes members and the whole document', async (t) => {
  assertResults(t, [
    { patch: [], result: document },
    { patch: [add('/name', 'other')], result: { ...document, name: 'other' } },
    { patch: [replace('/none', 0)], result: { ...document, none: 0 } },
    { patch: [replace('/inner/a/b', null)], result: { ...document, inner: { a: { b: null, c: 2 } } } },
    { patch: [remove('/inner')], result: { name, list, none } },
    { patch: [{ ...remove('/inner'), ...{ from: '/not/there' } }], result: { name, list, none } },
    { patch: [add('/a~1b~0c', 1)], result: { ...document, 'a/b~c': 1 } },
    { from: { '/': 9, '~1': 10 }, patch: [replace('/~01', 11)], result: { '/': 9, '~1': 11 } },
    { patch: [add('', { whole: true })], result: { whole: true } },
    { patch: [replace('', 7)], result: 7 }
  ])
})

t.test('adds, replaces and removes elements within the bounds of an array', async (t) => {
  const withList = (...list: unknown[]) => ({ ...document, list })
  assertResults(t, [
    { patch: [add('/list/0', 0)], result: withList(0, 1, 2, 3) },
    { patch: [add('/list/3', 4), add('/list/-', 5)], result: withList(1, 2, 3, 4, 5) },
    { patch: [replace('/list/2', 4)], result: withList(1, 2, 4) },
    { patch: [remove('/list/2')], result: withList(1, 2) },
    { patch: [copy('/list/0', '/list/3'), copy('/list/0', '/list/-')], result: withList(1, 2, 3, 1, 1) },
    { patch: [move('/list/0', '/list/2')], result: withList(2, 3, 1) }
  ])
  assertRefused(t, 'unpatchable-target', [
    ...['4', '-1', '1.0', '1e0', '01', 'x', ''].map((index) => [add(`/list/${index}`, 4)]),
    ...['3', '-', '01'].flatMap((index) => [
      [replace(`/list/${index}`, 4)],
      [remove(`/list/${index}`)],
      [test(`/list/${index}`, 3)],
      [copy(`/list/${index}`, '/name')],
      [move(`/list/${index}`, '/name')]
    ]),
    [copy('/list/0', '/list/4')],
    [move('/list/0', '/list/3')],
    [replace('/list', [{ text: 'a' }, { text: 'b' }]), move('/list/0', '/list/1/text')]
  ])
})

t.test('moves and copies values that later operations change independently', async (t) => {
  assertResults(t, [
    { patch: [move('/name', '/inner/name')], result: { list, none, inner: { ...inner, name } } },
    { patch: [move('/inner/a', '/inner/a')], result: document },
    { patch: [move('/inner/a', '/inner/aa')], result: { ...document, inner: { aa: inner.a } } },
    { patch: [copy('/inner', '/inner/a/b')], result: { ...document, inner: { a: { b: inner, c: 2 } } } },
    {
      patch: [add('/list/-', 4), copy('/list', '/list/-')],
      result: { ...document, list: [1, 2, 3, 4, [1, 2, 3, 4]] }
    },
    {
      patch: [add('/list/-', 4), copy('/list', '/name'), add('/list/-', 5), remove('/list/0')],
      result: { ...document, name: [1, 2, 3, 4], list: [2, 3, 4, 5] }
    },
    {
      patch: [replace('/inner/a', { b: 'x' }), copy('/inner/a', '/inner/name'), remove('/inner/a/b')],
      result: { ...document, inner: { a: {}, name: { b: 'x' } } }
    }
  ])
  assertRefused(t, 'unpatchable-target', [
    [move('/inner', '/inner/a')],
    [move('/inner/a', '/inner/a/b')],
    [move('', '/inner')]
  ])
})

t.test('compares values deeply and by type', async (t) => {
  assertResults(
    t,
    [
      [test('/none', null)],
      [test('/list', [1, 2, 3])],
      [test('/list/0', 1.0)],
      [test('/inner/a', { c: 2, b: 'secret' })],
      [test('', document)]
    ].map((patch) => ({ patch, result: document }))
  )
  assertRefused(t, 'failed-test', [
    [test('/name', 'other')],
    [test('/none', 0)],
    [test('/none', false)],
    [test('/list/0', '1')],
    [test('/list/0', true)],
    [test('/list', [2, 1, 3])],
    [test('/list', [1, 2, 3, 4])],
    [test('/inner/a', { c: 2 })],
    [test('/inner/a', { b: 'secret', c: 2, d: 3 })],
    [replace('/name', 'x'), test('/name', 'n')]
  ])
})

t.test('resolves paths only through own members of objects', async (t) => {
  assertRefused(t, 'unpatchable-target', [
    ...['/gone', '/toString', '/list/length', '/inner/gone'].flatMap((path) => [
      [replace(path, 1)],
      [remove(path)],
      [test(path, 1)],
      [copy(path, '/name')],
      [move(path, '/name')]
    ]),
    ...['/gone/a', '/name/x', '/inner/a/b/c', '/__proto__/polluted'].map((path) => [add(path, 1)])
  ])
  t.notOk('polluted' in {})
})

t.test('rejects paths that the result cannot have before it applies any operation', async (t) => {
  const failing = test('/name', 'other')
  const schema = { ...accepting(documentSchema), validate: () => t.fail('The result is validated.') }
  for (const path of '/x /inner/x /inner/a/c/d /list/0/x /name/0 / /toString /__proto__/x'.split(' ')) {
    const reading = [copy(path, '/name'), move(path, '/name'), test(path, 1)]
    for (const each of [add(path, 1), copy('/name', path), ...reading])
      t.equal(outcomeOf([failing, each], { schema }), 'unpatchable-target', JSON.stringify(each))
  }
  const unused = { ...test('/name', 1), ...{ from: '/x' } }
  t.equal(outcomeOf([failing, unused], { schema }), 'failed-test')
})

t.test('a result may have the maximum size or the size of the original', async (t) => {
  const small = { name: '' }
  const maxSize = JSON.stringify({ name: 'xxx' }).length
  const large = { name: 'xxxxxxxx', other: 1 }
  const cases: Case[] = [
    { from: small, patch: [replace('/name', 'xxx')], result: { name: 'xxx' } },
    { from: small, patch: [replace('/name', 'xxxx')], result: 'payload-too-large' },
    { from: large, patch: [replace('/other', 2)], result: { ...large, other: 2 } },
    { from: large, patch: [remove('/other')], result: { name: 'xxxxxxxx' } },
    { from: large, patch: [replace('/other', 22)], result: 'payload-too-large' },
    { from: { name: 'xxx' }, patch: [copy('/name', '/copied'), remove('/copied')], result: { name: 'xxx' } }
  ]
  for (const { from, patch, result } of cases)
    t.same(outcomeOf(patch, { from, maxSize }), result, JSON.stringify([from, patch]))
})

t.test('uncounted members may change in a document of any size', async (t) => {
  const patch = [replace('/name', 'longer')]
  t.equal(outcomeOf(patch, { maxSize: 10 }), 'payload-too-large')
  t.same(applyPatch(document, patch, anything, 10, ['name']), { ...document, name: 'longer' })
  for (const each of [add('/list/-', 4), replace('', { ...document, none: 'longer' })])
    t.throws(() => applyPatch(document, [...patch, each], anything, 10, ['name']), {
      code: 'payload-too-large'
    })
})

t.test('bounds the total copied by all operations even when the result is small', async (t) => {
  const copies = (count: number) => [
    add('/inner/name', 'x'.repeat(98)),
    ...Array.from({ length: count }, () => copy('/inner/name', '/name')),
    remove('/inner/name'),
    replace('/name', 'n')
  ]
  t.same(outcomeOf(copies(10)), document)
  t.equal(outcomeOf(copies(11)), 'payload-too-large')
  const doubling = Array.from({ length: 50 }, () => copy('', '/list/-'))
  t.equal(outcomeOf(doubling, { maxSize: 100_000 }), 'payload-too-large')
})

t.test('finds the operations that write to a member', async (t) => {
  const moving = [copy('/b', '/a'), move('/a', '/b'), move('/a/c', '/b')]
  const writing = [add('/a', 1), replace('/a', 1), remove('/a'), add('/a/b', 1), ...moving]
  const others = [test('/a', 1), test('/a/b', 1), add('/ab', 1), add('/b/a', 1), add('', 1), copy('/a', '/b')]
  for (const each of writing) t.ok(writesTo(each, 'a'), JSON.stringify(each))
  for (const each of others) t.notOk(writesTo(each, 'a'), JSON.stringify(each))
})
