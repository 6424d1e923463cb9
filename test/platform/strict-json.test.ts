import t from 'tap'
import { assertNesting, assertNoDuplicateKeys, maxBulkMembers } from '../../src/platform/json/strict-json.js'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

const plain: readonly string[] = [
  '1',
  '"a:b"',
  '{}',
  '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}',
  '{"a\\"":1,"a\\\\":2,"a":"\\\\\\":","b":"\\":{\\"a\\":1"}',
  '{ "a" \t\r\n : "b" , "c" : [ "d" , ":" ] }',
  '{"":1," ":2,"__proto__":3,"constructor":4}',
  '{"1":1,"01":2,"æ":"ø","\\u00e5":"\\u0022:"}',
  nested(64),
  `{"a":${nested(63)}}`
]

const twice: readonly [text: string, pointer: string][] = [
  ['{"a":1,"a":1}', '/a'],
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"":1,"":2}', '/'],
  ['[{},{"b":[{"a/b":{"a":1,"a" :2}}]}]', '/1/b/0/a~1b/a'],
  [`{"a":${nested(20)},"a":1}`, '/a'],
  ['{"a\\\\":1,"b":"\\"","a\\\\":2}', '/a\\'],
  ['{"a":1,"a":2,"b":3,"b":4}', '/a']
]

t.test('refuses duplicate names that JSON.parse accepts', async (t) => {
  for (const text of plain)
    t.doesNotThrow(() => assertNoDuplicateKeys(text, JSON.parse(text)), `nothing in ${text.slice(0, 60)}`)
  for (const [text, pointer] of twice)
    t.throws(
      () => assertNoDuplicateKeys(text, JSON.parse(text)),
      { code: 'malformed-json', errors: [{ pointer }] },
      `a duplicate member in ${text.slice(0, 60)}`
    )
  for (const text of plain) t.doesNotThrow(() => assertNesting(text))
  for (const text of [
    nested(65),
    `{"a":${nested(64)}}`,
    nested(5000),
    `{"a":${nested(100_000)},"a":1}`,
    `["\\"]",${'{"a":['.repeat(32)}`,
    `"]"${'['.repeat(65)}`
  ])
    t.throws(() => assertNesting(text), { code: 'malformed-json' }, `too many levels in ${text.slice(0, 20)}`)
  for (const text of ['"[', '"\\"[[', `"${'['.repeat(65)}"`, `${'[]'.repeat(65)}`, `${'['.repeat(64)}`])
    t.doesNotThrow(() => assertNesting(text), `brackets within a string, or too few: ${text.slice(0, 20)}`)
})

t.test('refuses more members and entries than any valid body has', async (t) => {
  const list = (count: number, entry: string) => `[${Array(count).fill(entry).join()}]`
  const object = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, ','])))
  for (const text of [list(20_000, '1'), list(10_000, '[]'), object(20_000)])
    t.doesNotThrow(() => assertNesting(text))
  for (const text of [list(20_001, '1'), list(10_001, '{}'), object(20_001), '[],'.repeat(10_001)])
    t.throws(() => assertNesting(text), { code: 'malformed-json' })
  const identifiers = list(300_000, '{"system":"","value":""}')
  t.doesNotThrow(() => assertNesting(identifiers, maxBulkMembers(identifiers)))
  const empty = list(300_000, '[]')
  t.throws(() => assertNesting(empty, maxBulkMembers(empty)), { code: 'malformed-json' })
})

t.test('scans a long text in linear time', async (t) => {
  const text = JSON.stringify({
    a: '\\'.repeat(2_000_000),
    b: '"'.repeat(2_000_000),
    c: '\\"'.repeat(1_000_000)
  })
  t.doesNotThrow(() => assertNoDuplicateKeys(text, JSON.parse(text)))
})
