import { Type } from '@sinclair/typebox'
import t from 'tap'
import type { Problem } from '../../src/platform/errors/problem.js'
import { applyPatch } from '../../src/platform/json/apply-patch.js'
import type { Operation } from '../../src/platform/json/json-patch.js'
import type { CompiledSchema } from '../../src/platform/json/validation.js'

const document = { name: 'n', list: [1, 2, 3], inner: { a: { b: 'secret' } } }
const schema = Type.Object({
  name: Type.String(),
  list: Type.Array(Type.Object({ text: Type.String() })),
  'a/b~c': Type.Number(),
  inner: Type.Object({ a: Type.Object({ b: Type.String() }), name: Type.String() })
})

/** Accepts any result and counts calls. */
function anything() {
  let asked = 0
  const conforming: CompiledSchema<unknown> = {
    schema,
    validate(value) {
      asked++
      return value
    },
    validateNormalized: (value) => value
  }
  return { conforming, asked: () => asked }
}

function outcome(patch: unknown, maxSize = 1000, conforming = anything().conforming): unknown {
  const sent = JSON.stringify(patch)
  try {
    return applyPatch(document, patch as Operation[], conforming, maxSize)
  } catch (error) {
    t.notMatch(`${(error as Problem).message} ${JSON.stringify((error as Problem).errors)}`, /secret/)
    return (error as Problem).code
  } finally {
    t.equal(JSON.stringify(patch), sent, 'the patch is not modified')
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
  for (const [patch, result] of cases) t.same(outcome(patch), result, JSON.stringify(patch))
  t.equal(JSON.stringify(document), before, 'the document is not modified')
  t.notOk('polluted' in {})
})

t.test('refuses paths that the result cannot have before it applies anything', async (t) => {
  const first = { op: 'test', path: '/name', value: 'other' }
  for (const path of [
    '/x',
    '/inner/x',
    '/inner/a/b/c',
    '/list/0/x',
    '/name/0',
    '/',
    '/toString',
    '/__proto__/x'
  ])
    for (const each of [
      { op: 'add', path, value: 1 },
      { op: 'copy', from: '/name', path },
      { op: 'copy', from: path, path: '/name' },
      { op: 'move', from: path, path: '/name' },
      { op: 'test', path, value: 1 }
    ]) {
      const { conforming, asked } = anything()
      t.equal(outcome([first, each], 1000, conforming), 'unpatchable-target', JSON.stringify(each))
      t.equal(asked(), 0)
    }
  t.equal(outcome([first, { op: 'test', path: '/name', from: '/x', value: 1 }]), 'failed-test')
})

t.test('refuses copies of copies beyond the limit', async (t) => {
  const doubling = Array.from({ length: 50 }, () => ({ op: 'copy', from: '', path: '/list/-' }))
  t.equal(outcome(doubling, 100_000), 'payload-too-large')
})

t.test('uncounted members may change in a document of any size', async (t) => {
  const patch = [{ op: 'replace', path: '/name', value: 'longer' }] as Operation[]
  const { conforming } = anything()
  t.equal(outcome(patch, 10), 'payload-too-large')
  t.same(applyPatch(document, patch, conforming, 10, ['name']), { ...document, name: 'longer' })
})

t.test('bounds the total copied by all operations even when the result is small', async (t) => {
  const copies = (count: number) => [
    { op: 'add', path: '/inner/name', value: 'x'.repeat(98) },
    ...Array.from({ length: count }, () => ({ op: 'copy', from: '/inner/name', path: '/name' })),
    { op: 'remove', path: '/inner/name' },
    { op: 'replace', path: '/name', value: 'n' }
  ]
  t.same(outcome(copies(10), 1000), document)
  t.equal(outcome(copies(11), 1000), 'payload-too-large')
})

t.test('serializes a result only after it conforms to the schema', async (t) => {
  const written = { toJSON: () => t.fail('it is serialized') }
  const conforming: CompiledSchema<unknown> = {
    schema,
    validate() {
      throw new Error('no')
    },
    validateNormalized: (value) => value
  }
  const patch = [
    { op: 'add', path: '/name', value: written },
    { op: 'move', from: '/name', path: '/inner/name' }
  ] as Operation[]
  t.throws(() => applyPatch(document, patch, conforming, 1000), /no/)
})
