import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createCursors } from '../../src/platform/rest/cursors.js'

const cursors = createCursors(randomBytes(32))

t.test('a cursor decodes to its input', async (t) => {
  const address = 'https://fhir.example/Patient/0123456789'
  for (const value of ['', 'x', { filters: { q: 'æ 🩺' } }, Array(500).fill(address), 'a'.repeat(100_000)])
    t.same(cursors.open(cursors.seal(value)), value)
})

t.test('a cursor is opaque and compresses repetition', async (t) => {
  const patient = 'https://fhir.example/Patient/0123456789'
  const cursor = cursors.seal({ patient })
  t.notMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /fhir|Patient|0123456789/)
  t.not(cursors.seal({ patient }), cursor)
  t.ok(cursors.seal(Array(50).fill(patient)).length < 1000)
})

t.test('refuses foreign cursors', async (t) => {
  const cursor = cursors.seal({ after: 'x' })
  const others = [
    '',
    'abc',
    cursor.slice(0, -2),
    `${cursor.slice(0, -3)}AAA`,
    cursor.slice(4),
    createCursors(randomBytes(32)).seal({ after: 'x' }),
    randomBytes(100).toString('base64url')
  ]
  for (const other of others) t.throws(() => cursors.open(other), { code: 'invalid-query' }, other)
})
