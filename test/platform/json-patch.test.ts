import t from 'tap'
import { applyPatch, type Operation } from '../../src/platform/json-patch.js'
import type { Problem } from '../../src/platform/problem.js'

const document = { name: 'n', list: [1, 2, 3], inner: { a: { b: 'secret' } } }

function outcome(patch: unknown, maxSize = 1000): unknown {
  try {
    return applyPatch(document, patch as Operation[], maxSize)
  } catch (error) {
    t.notMatch(`${(error as Problem).message} ${JSON.stringify((error as Problem).errors)}`, /secret/)
    return (error as Problem).code
  }
}

t.test('the operations of RFC 6902', async (t) => {
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
  t.equal(JSON.stringify(document), before, 'the document itself is never touched')
  t.notOk('polluted' in {})
})

t.test('copies of copies end', async (t) => {
  const doubling = Array.from({ length: 50 }, (_, at) => ({ op: 'copy', from: '', path: `/inner/copy${at}` }))
  t.equal(outcome(doubling, 100_000), 'payload-too-large')
})
