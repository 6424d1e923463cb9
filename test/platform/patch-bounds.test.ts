import { Type } from '@sinclair/typebox'
import t from 'tap'
import type { Problem } from '../../src/platform/errors/problem.js'
import { applyPatch } from '../../src/platform/json/apply-patch.js'
import type { Operation } from '../../src/platform/json/json-patch.js'
import type { PatchResultSchema } from '../../src/platform/json/validation.js'

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
  const conforming: PatchResultSchema<unknown> = {
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
  try {
    return applyPatch(document, patch as Operation[], conforming, maxSize)
  } catch (error) {
    t.notMatch(`${(error as Problem).message} ${JSON.stringify((error as Problem).errors)}`, /secret/)
    return (error as Problem).code
  }
}

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
  const conforming: PatchResultSchema<unknown> = {
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
