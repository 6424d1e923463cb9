import t from 'tap'
import { assertBounds, maxBulkMembers } from '../../src/platform/json/json-bounds.js'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

t.test('rejects a text that is nested deeper than 64 levels', async (t) => {
  for (const text of [
    '1',
    '{ "a" \t\r\n : "b" , "c" : [ "d" , ":" ] }',
    nested(64),
    `{"a":${nested(63)}}`,
    ...['"[', '"\\"[[', `"${'['.repeat(65)}"`, `${'[]'.repeat(65)}`, `${'['.repeat(64)}`],
    `["\\\\\\"${'['.repeat(65)}"]`
  ])
    t.doesNotThrow(() => assertBounds(text), text.slice(0, 20))
  for (const text of [
    nested(65),
    `{"a":${nested(64)}}`,
    nested(5000),
    `{"a":${nested(100_000)},"a":1}`,
    `["\\"]",${'{"a":['.repeat(32)}`,
    `["\\\\",${'['.repeat(64)}`,
    `"]"${'['.repeat(65)}`
  ])
    t.throws(() => assertBounds(text), { code: 'malformed-json' }, text.slice(0, 20))
})

t.test('rejects more members and entries than any valid body has', async (t) => {
  const list = (count: number, entry: string) => `[${Array(count).fill(entry).join()}]`
  const object = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, ','])))
  for (const text of [list(20_000, '1'), list(10_000, '[]'), object(20_000)])
    t.doesNotThrow(() => assertBounds(text))
  for (const text of [list(20_001, '1'), list(10_001, '{}'), object(20_001), '[],'.repeat(10_001)])
    t.throws(() => assertBounds(text), { code: 'malformed-json' })
  const identifiers = list(300_000, '{"system":"","value":""}')
  t.doesNotThrow(() => assertBounds(identifiers, maxBulkMembers(identifiers)))
  const empty = list(300_000, '[]')
  t.throws(() => assertBounds(empty, maxBulkMembers(empty)), { code: 'malformed-json' })
})
