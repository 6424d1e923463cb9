import t from 'tap'
import { databaseUrlError, parseDatabaseUrl } from '../../src/db/database-url.js'
import { operate } from '../fixtures/operator.js'

t.test('a database URL is parsed into its hosts', async (t) => {
  const cases: [url: string, hosts: string[], isWritable: boolean][] = [
    ['postgres://h/db', ['postgres://h/db'], false],
    ['postgresql:///db?application_name=x', ['postgresql:///db?application_name=x'], false],
    ['postgres://u:p%2C@h:1/db?sslmode=require', ['postgres://u:p%2C@h:1/db?sslmode=require'], false],
    ['postgres://h/db?target_session_attrs=primary', ['postgres://h/db'], true],
    [
      'postgres://u:p@h1:1,h2/db?target_session_attrs=read-write&sslmode=verify-full',
      ['postgres://u:p@h1:1/db?sslmode=verify-full', 'postgres://u:p@h2/db?sslmode=verify-full'],
      true
    ],
    ['postgres://[::1]:1,[fd00::2]', ['postgres://[::1]:1', 'postgres://[fd00::2]'], true]
  ]
  for (const [url, hosts, isWritable] of cases) {
    const parsed = parseDatabaseUrl(url)
    t.same(
      parsed.hosts.map((host) => host.url),
      hosts
    )
    t.equal(parsed.isWritable, isWritable, url)
    t.equal(databaseUrlError(url), undefined)
  }
  t.same(parseDatabaseUrl('postgres://[::1]:1,[fd00::2]').hosts, [
    { label: '[::1]:1', url: 'postgres://[::1]:1', ipv6: { host: ['::1'], port: [1] } },
    { label: '[fd00::2]', url: 'postgres://[fd00::2]', ipv6: { host: ['fd00::2'], port: [5432] } }
  ])
})

t.test('an unusable database URL is rejected without quoting any part of it', async (t) => {
  t.match(databaseUrlError('mysql://h/db'), /^must start with postgres:/)
  for (const hosts of ['h:1,', ',h', 'h:port', 'u:secret,word', '::1', 'h1;h2:1:2'])
    t.match(databaseUrlError(`postgres://${hosts}/db`), /^must name a host[^:]*$/, hosts)
  for (const target of ['any', 'standby', 'read-only', 'prefer-standby', ''])
    t.match(
      databaseUrlError(`postgres://h1,h2/db?target_session_attrs=${target}`),
      /^must not set target_session_attrs=[\w-]*: the service writes\. Use read-write or primary$/
    )
  t.match(
    databaseUrlError('postgres://h/db?sslmode=verify-full&sslrootcert=/etc/secret.pem'),
    /^must not set sslrootcert: (?!.*secret).* NODE_EXTRA_CA_CERTS, and set sslmode=verify-full$/
  )
  for (const name of ['sslcert', 'sslkey'])
    t.match(
      databaseUrlError(`postgres://h/db?${name}=/etc/secret.pem`),
      new RegExp(`^must not set ${name}: (?!.*secret)`)
    )
})

t.test('commands of operators reject an unusable database URL', async (t) => {
  const result = await operate('postgres://h/db?sslrootcert=/etc/ca.pem', ['retention', 'events'])
  t.match(result, { code: 1, output: /DATABASE_URL must not set sslrootcert: .*NODE_EXTRA_CA_CERTS/ })
})
