import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createCursors } from '../../src/platform/rest/cursors.js'

// test/errors/addresses.test.ts sends cursors that were changed, and those of other lists.
t.test('a cursor decodes to its input, and fits a query string if the input repeats itself', async (t) => {
  const cursors = createCursors(randomBytes(32))
  const repeated = Array(500).fill('https://fhir.example/Patient/0123456789')
  for (const value of ['', { filters: { q: 'æ 🩺' } }, repeated, 'a'.repeat(100_000)])
    t.same(cursors.open(cursors.seal(value)), value)
  t.ok(cursors.seal(repeated.slice(0, 50)).length < 1000)
})
