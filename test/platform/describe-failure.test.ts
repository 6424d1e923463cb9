import { mkdir } from 'node:fs/promises'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import t from 'tap'
import { describeFailure } from '../../src/platform/errors/describe-failure.js'

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: it failed`), { code, ...more })

t.test('describes a failure and its remedy in a sentence', async (t) => {
  t.match(describeFailure(failure('EADDRINUSE')), /^EADDRINUSE: it failed\nAnother program uses this port/)
  t.match(
    describeFailure(failure('EACCES', { syscall: 'listen', port: 80 })),
    /^EACCES: it failed\nThis user may not listen on this port\. Set PORT to 1024 or higher/
  )
  t.match(describeFailure(failure('EACCES', { path: '/var/ssl' })), /\nGive this user access to \/var\/ssl/)
  for (const code of ['08006', '08007']) t.match(describeFailure(failure(code)), /\nStart this program again/)
  t.equal(describeFailure(failure('EOTHER')), 'EOTHER: it failed')
  t.equal(describeFailure('a sentence'), 'a sentence')
  t.equal(describeFailure(undefined), 'undefined')
})

t.test('keeps the message of an error that explains itself', async (t) => {
  const cause = await mkdir('/proc/none').catch((error) => error)
  t.equal(
    describeFailure(new Error('The data folder cannot be used.', { cause })),
    'The data folder cannot be used.'
  )
})

t.test('omits the parameters of a statement', async (t) => {
  const cause = failure('3D000')
  const told = describeFailure(new DrizzleQueryError('select $1', ['Zaphod-4711'], cause))
  t.match(told, /^3D000: it failed\nCreate the database/)
})
