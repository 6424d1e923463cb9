import { type TSchema, Type } from '@sinclair/typebox'
import t from 'tap'
import type { Problem } from '../../src/platform/errors/problem.js'
import { applyPatch } from '../../src/platform/json/apply-patch.js'
import { type Operation, writesTo } from '../../src/platform/json/json-patch.js'
import type { PatchResultSchema } from '../../src/platform/json/validation.js'

const document = { name: 'n', list: [1, 2, 3], inner: { a: { b: 'secret' } } }

const documentSchema = Type.Object({
  name: Type.String(),
  list: Type.Array(Type.Object({ text: Type.String() })),
  'a/b~c': Type.Number(),
  inner: Type.Object({ a: Type.Object({ b: Type.String() }), name: Type.String() })
})

/** Accepts any result at the paths of a schema. */
const accepting = (schema: TSchema): PatchResultSchema<unknown> => ({
  schema,
  validate: (value) => value,
  validateNormalized: (value) => value
})
const anything = accepting(Type.Any())

function outcome(patch: unknown, maxSize = 1000, from: object = document, compiled = anything): unknown {
  try {
    return applyPatch(from, patch as Operation[], compiled, maxSize)
  } catch (error) {
    t.notMatch(`${(error as Problem).message} ${JSON.stringify((error as Problem).errors)}`, /secret/)
    return (error as Problem).code
  }
}

t.test('applies the operations of RFC 6902', async (t) => {
  const cases: [patch: object[], result: unknown][] = [
    [[], document],
    [[{ op: 'add', path: '/list/-', value: 4 }], { ...document, list: [1, 2, 3, 4] }],
    [[{ op: 'add', path: '/list/0', value: 0 }], { ...document, list: [0, 1, 2, 3] }],
    [[{ op: 'remove', path: '/list/1' }], { ...document, list: [1, 3] }],
    [[{ op: 'replace', path: '/inner/a/b', value: null }], { ...document, inner: { a: { b: null } } }],
    [
      [{ op: 'move', from: '/name', path: '/inner/name' }],
      { list: [1, 2, 3], inner: { a: { b: 'secret' }, name: 'n' } }
    ],
    [
      [{ op: 'copy', from: '/name', path: '/inner/name' }],
      { ...document, inner: { a: { b: 'secret' }, name: 'n' } }
    ],
    [[{ op: 'test', path: '/list', value: [1, 2, 3] }], document],
    [[{ op: 'replace', path: '', value: 7 }], 7],
    [[{ op: 'add', path: '/a~1b~0c', value: 1 }], { ...document, 'a/b~c': 1 }],
    [[{ op: 'test', path: '/name', value: 'other' }], 'failed-test'],
    [[{ op: 'replace', path: '/none', value: 1 }], 'unpatchable-target'],
    [[{ op: 'remove', path: '/none' }], 'unpatchable-target'],
    [[{ op: 'test', path: '/none', value: 1 }], 'unpatchable-target'],
    [[{ op: 'remove', path: '/toString' }], 'unpatchable-target'],
    [[{ op: 'copy', from: '/list/length', path: '/name' }], 'unpatchable-target'],
    [[{ op: 'move', from: '/inner', path: '/inner/a/b' }], 'unpatchable-target'],
    [[{ op: 'move', from: '/list/0', path: '/list/2' }], { ...document, list: [2, 3, 1] }],
    [[{ op: 'move', from: '/list/0', path: '/list/3' }], 'unpatchable-target'],
    [
      [
        { op: 'add', path: '/list/-', value: 4 },
        { op: 'copy', from: '/list', path: '/list/-' }
      ],
      { ...document, list: [1, 2, 3, 4, [1, 2, 3, 4]] }
    ],
    [
      [
        { op: 'add', path: '/list/-', value: 4 },
        { op: 'copy', from: '/list', path: '/name' },
        { op: 'add', path: '/list/-', value: 5 },
        { op: 'remove', path: '/list/0' }
      ],
      { ...document, name: [1, 2, 3, 4], list: [2, 3, 4, 5] }
    ],
    [
      [
        { op: 'replace', path: '/list', value: [{ text: 'a' }, { text: 'b' }] },
        { op: 'move', from: '/list/0', path: '/list/1/text' }
      ],
      'unpatchable-target'
    ],
    [
      [
        { op: 'add', path: '/inner', value: { a: { b: 'x' } } },
        { op: 'copy', from: '/inner/a', path: '/inner/name' },
        { op: 'remove', path: '/inner/a/b' }
      ],
      { ...document, inner: { a: {}, name: { b: 'x' } } }
    ],
    [[{ op: 'add', path: '/none/a', value: 1 }], 'unpatchable-target'],
    [[{ op: 'add', path: '/list/9', value: 1 }], 'unpatchable-target'],
    [[{ op: 'replace', path: '/list/01', value: 1 }], 'unpatchable-target'],
    [[{ op: 'replace', path: '/list/-', value: 1 }], 'unpatchable-target'],
    [[{ op: 'copy', from: '/list/00', path: '/name' }], 'unpatchable-target'],
    [[{ op: 'move', from: '/none', path: '/name' }], 'unpatchable-target'],
    [[{ op: 'add', path: '/__proto__/polluted', value: 1 }], 'unpatchable-target'],
    [[{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }], 'unpatchable-target'],
    [
      [
        { op: 'replace', path: '/name', value: 'x' },
        { op: 'remove', path: '/none' }
      ],
      'unpatchable-target'
    ]
  ]
  const before = JSON.stringify(document)
  for (const [patch, result] of cases)
    for (const compiled of [anything, accepting(documentSchema)]) {
      const sent = JSON.stringify(patch)
      t.same(outcome(patch, 1000, document, compiled), result, sent)
      t.equal(JSON.stringify(patch), sent, 'the patch is not modified')
    }
  t.equal(JSON.stringify(document), before, 'the document is not modified')
  t.notOk('polluted' in {})
})

const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const test = (path: string, value: unknown) => ({ op: 'test', path, value })
const remove = (path: string) => ({ op: 'remove', path })
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const move = (from: string, path: string) => ({ op: 'move', from, path })
const copy = (from: string, path: string) => ({ op: 'copy', from, path })

t.test('applies the examples of RFC 6902, appendix A', async (t) => {
  const cases: [name: string, document: object, patch: object[], result: unknown][] = [
    ['A.1', { foo: 'bar' }, [add('/baz', 'qux')], { baz: 'qux', foo: 'bar' }],
    ['A.2', { foo: ['bar', 'baz'] }, [add('/foo/1', 'qux')], { foo: ['bar', 'qux', 'baz'] }],
    ['A.3', { baz: 'qux', foo: 'bar' }, [remove('/baz')], { foo: 'bar' }],
    ['A.4', { foo: ['bar', 'qux', 'baz'] }, [remove('/foo/1')], { foo: ['bar', 'baz'] }],
    ['A.5', { baz: 'qux', foo: 'bar' }, [replace('/baz', 'boo')], { baz: 'boo', foo: 'bar' }],
    [
      'A.6',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [move('/foo/waldo', '/qux/thud')],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } }
    ],
    [
      'A.7',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [move('/foo/1', '/foo/3')],
      { foo: ['all', 'cows', 'eat', 'grass'] }
    ],
    [
      'A.8',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [test('/baz', 'qux'), test('/foo/1', 2)],
      { baz: 'qux', foo: ['a', 2, 'c'] }
    ],
    ['A.9', { baz: 'qux' }, [test('/baz', 'bar')], 'failed-test'],
    ['A.10', { foo: 'bar' }, [add('/child', { grandchild: {} })], { foo: 'bar', child: { grandchild: {} } }],
    ['A.11', { foo: 'bar' }, [{ ...add('/baz', 'qux'), xyz: 123 }], { foo: 'bar', baz: 'qux' }],
    ['A.12', { foo: 'bar' }, [add('/baz/bat', 'qux')], 'unpatchable-target'],
    ['A.14', { '/': 9, '~1': 10 }, [test('/~01', 10)], { '/': 9, '~1': 10 }],
    ['A.15', { '/': 9, '~1': 10 }, [test('/~01', '10')], 'failed-test'],
    ['A.16', { foo: ['bar'] }, [add('/foo/-', ['abc', 'def'])], { foo: ['bar', ['abc', 'def']] }]
  ]
  for (const [name, document, patch, result] of cases) t.same(outcome(patch, 1000, document), result, name)
})

t.test('handles array bounds and compares values deeply', async (t) => {
  const from = { list: [1, 2], name: 'n', none: null, inner: { a: { b: 1, c: 2 } } }
  const cases: [patch: object[], result: unknown][] = [
    [[add('/list/2', 3)], { ...from, list: [1, 2, 3] }],
    [[add('/list/3', 3)], 'unpatchable-target'],
    [[add('/list/-1', 3)], 'unpatchable-target'],
    [[add('/list/1.0', 3)], 'unpatchable-target'],
    [[add('/list/1e0', 3)], 'unpatchable-target'],
    [[add('/list/x', 3)], 'unpatchable-target'],
    [[add('/list/', 3)], 'unpatchable-target'],
    [[add('/list/2', 3), add('/list/3', 4)], { ...from, list: [1, 2, 3, 4] }],
    [[replace('/list/1', 3)], { ...from, list: [1, 3] }],
    [[replace('/list/2', 3)], 'unpatchable-target'],
    [[remove('/list/1')], { ...from, list: [1] }],
    [[remove('/list/2')], 'unpatchable-target'],
    [[remove('/list/-')], 'unpatchable-target'],
    [[test('/list/-', 2)], 'unpatchable-target'],
    [[copy('/list/-', '/name')], 'unpatchable-target'],
    [[move('/list/2', '/name')], 'unpatchable-target'],
    [[copy('/list/0', '/list/-')], { ...from, list: [1, 2, 1] }],
    [[copy('/list/0', '/list/2')], { ...from, list: [1, 2, 1] }],
    [[copy('/list/0', '/list/3')], 'unpatchable-target'],
    [[move('/list/0', '/list/1')], { ...from, list: [2, 1] }],
    [[copy('/inner', '/inner/a/b')], { ...from, inner: { a: { b: from.inner, c: 2 } } }],
    [[move('/inner/a', '/inner/a')], from],
    [[move('/inner/a', '/inner/aa')], { ...from, inner: { aa: { b: 1, c: 2 } } }],
    [[move('/inner/a', '/inner/a/b')], 'unpatchable-target'],
    [[move('/inner', '/inner/a')], 'unpatchable-target'],
    [[move('', '/inner')], 'unpatchable-target'],
    [[add('/name/x', 1)], 'unpatchable-target'],
    [[add('/none/x', 1)], 'unpatchable-target'],
    [[add('', { whole: true })], { whole: true }],
    [[add('/name', 'other')], { ...from, name: 'other' }],
    [[replace('/none', 0)], { ...from, none: 0 }],
    [[test('/none', null)], from],
    [[test('/none', 0)], 'failed-test'],
    [[test('/none', false)], 'failed-test'],
    [[test('/list/0', 1.0)], from],
    [[test('/list/0', '1')], 'failed-test'],
    [[test('/list/0', true)], 'failed-test'],
    [[test('/list', [2, 1])], 'failed-test'],
    [[test('/list', [1, 2, 3])], 'failed-test'],
    [[test('/inner/a', { c: 2, b: 1 })], from],
    [[test('/inner/a', { b: 1 })], 'failed-test'],
    [[test('/inner/a', { b: 1, c: 2, d: 3 })], 'failed-test'],
    [[test('', from)], from],
    [[{ ...remove('/name'), from: '/not/there' }], { list: [1, 2], none: null, inner: from.inner }],
    [[replace('/name', 'x'), test('/name', 'n')], 'failed-test']
  ]
  for (const [patch, result] of cases) t.same(outcome(patch, 1000, from), result, JSON.stringify(patch))
})

t.test('a result may have the maximum size or the size of the original', async (t) => {
  const small = { name: '' }
  const size = JSON.stringify({ name: 'xxx' }).length
  t.same(outcome([replace('/name', 'xxx')], size, small), { name: 'xxx' })
  t.equal(outcome([replace('/name', 'xxxx')], size, small), 'payload-too-large')
  const large = { name: 'xxxxxxxx', other: 1 }
  t.same(outcome([replace('/other', 2)], size, large), { ...large, other: 2 })
  t.same(outcome([remove('/other')], size, large), { name: 'xxxxxxxx' })
  t.equal(outcome([replace('/other', 22)], size, large), 'payload-too-large')
  t.same(
    outcome([copy('/name', '/copied'), remove('/copied')], size, { name: 'xxx' }),
    { name: 'xxx' },
    'not between two operations'
  )
})

t.test('finds the operations that write to a member', async (t) => {
  const writing = [
    add('/a', 1),
    replace('/a', 1),
    remove('/a'),
    add('/a/b', 1),
    copy('/b', '/a'),
    move('/a', '/b')
  ]
  for (const each of [...writing, move('/b', '/a/c'), move('/a/c', '/b')])
    t.ok(writesTo(each as Operation, 'a'), JSON.stringify(each))
  for (const each of [
    test('/a', 1),
    add('/ab', 1),
    copy('/a', '/b'),
    add('', 1),
    add('/b/a', 1),
    test('/a/b', 1)
  ])
    t.notOk(writesTo(each as Operation, 'a'), JSON.stringify(each))
})

t.test('refuses copies of copies beyond the limit', async (t) => {
  const doubling = Array.from({ length: 50 }, (_, at) => ({ op: 'copy', from: '', path: `/inner/copy${at}` }))
  t.equal(outcome(doubling, 100_000), 'payload-too-large')
})
