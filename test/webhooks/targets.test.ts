import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { createSender, type ResolveHost } from '../../src/webhooks/delivery/sender.js'
import { createTargets } from '../../src/webhooks/targets.js'
import { testApp } from '../fixtures/app.js'
import { startReceiver } from '../fixtures/events/receiver.js'
import { serve } from '../fixtures/serve.js'
import { orders, organization } from '../fixtures/world.js'

/** Counts connections to this machine. */
async function listener(test: Test) {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  return { port: await serve(test, server), connections: () => connections }
}

const types = ['order.created']
/** Names of this machine that the setting does not list. */
const thisMachine = [
  ...['localhost', 'localhost.', '0', '0.0.0.0', '[::]', '[::1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '127.1', '①②⑦.0.0.1'],
  '127.0.0.1.'
]

t.test('odd targets are rejected', async (t) => {
  const { port, connections } = await listener(t)
  const listed = `http://127.0.0.1:${port}`
  const app = await testApp(t, { EVENT_TARGETS: `${listed},https://hooks.example.org,https://10.1.2.3` })
  const nurse = app.as('MonitoringResponsible', organization('region'))
  const odd = [
    ...thisMachine.map((host) => `http://${host}:${port}/`),
    `http://127.0.0.1:${port + 1}/`,
    `http://user:secret@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}/#fragment`,
    `http://127.0.0.1:${port}\\@hooks.example.org/`,
    `https://127.0.0.1:${port}/`,
    ...['10.1.2.4', '[fd00::1]', '[fe80::1]', '[64:ff9b::7f00:1]'].map((host) => `https://${host}/`),
    ...['.', '%2f.evil.example', '%00.evil.example', '\t', '.evil.example', ':8443', ':443'].map(
      (end) => `https://hooks.example.org${end}/`
    ),
    ' https://hooks.example.org/',
    'https:hooks.example.org/',
    'https:\\\\hooks.example.org/',
    'HTTPS://HOOKS.example.org/',
    'https://hooks.example.org/a/../b',
    'https://hooks.example.org@169.254.169.254/',
    'http://hooks.example.org/',
    'http://169.254.169.254/latest/meta-data/',
    'ftp://hooks.example.org/',
    'gopher://hooks.example.org/',
    'javascript:0',
    'data:,x',
    'blob:https://hooks.example.org/x',
    'file:///etc/passwd',
    '//hooks.example.org/',
    'hooks.example.org',
    ''
  ]
  for (const target of odd)
    t.match(
      await nurse.post(`${orders}/subscription`, { target, types }),
      { status: 422, body: { code: 'target-not-allowed', errors: [{ pointer: '/target' }] } },
      target
    )
  t.equal(connections(), 0)
  for (const target of ['https://hooks.example.org/ssl?x=1', 'https://10.1.2.3/'])
    await nurse.post(`${orders}/subscription`, { target, types }, 201)
})

t.test('without EVENT_TARGETS there are no targets', async (t) => {
  const app = await testApp(t, { EVENT_TARGETS: '' })
  const nurse = app.as('MonitoringResponsible', organization('region'))
  for (const target of ['https://hooks.example.org/', 'http://127.0.0.1:9/'])
    t.match(await nurse.post(`${orders}/subscription`, { target, types }), {
      status: 422,
      body: { code: 'target-not-allowed' }
    })
})

const delivery = (target: string) => ({ target, headers: { 'content-type': 'text/plain' }, body: 'x' })
const never = new AbortController().signal

t.test('a listed name with a private address gets no connection', async (t) => {
  const { port, connections } = await listener(t)
  // Tests may connect to no other name. Listing it would allow loopback addresses.
  const origin = `http://localhost:${port}`
  const hooks = createTargets([{ origin: 'https://hooks.example.org' }])
  const isConnectable = (_: string, address: string) =>
    hooks.isConnectable('https://hooks.example.org', address)
  const targets = { ...createTargets([{ origin }]), isConnectable }
  const addresses = [
    ...['127.0.0.1', '10.0.0.1', '172.16.3.4', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['127.255.255.254', '198.18.0.1', '192.0.0.8', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::127.0.0.1', 'fe80::1', 'fe80::1%lo', 'fec0::1', 'fd00::1', 'ff02::1', '2001:db8::1'],
    // IPv4 addresses within IPv6: mapped, NAT64, Teredo, 6to4.
    ...['::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:0:7f00:1', '64:ff9b::7f00:1', '64:ff9b::a00:1'],
    ...['64:ff9b:1::7f00:1', '2001::1', '2002:7f00:1::', '2002:a00:1::1']
  ]
  for (const address of addresses) {
    const family = address.includes(':') ? 6 : 4
    const resolveHost: ResolveHost = (_host, done) =>
      done(null, [
        { address: '93.184.216.34', family: 4 },
        { address, family }
      ])
    const sender = createSender({ targets, resolveHost })
    t.same(await sender.send(delivery(`${origin}/`), never), { result: 'ADDRESS_REFUSED' }, address)
    await sender.close()
  }
  t.equal(connections(), 0)
})

t.test('name, port and address of a private target must match', async (t) => {
  const { port, connections } = await listener(t)
  const address = '10.1.2.3'
  const local = { origin: `http://localhost:${port}` }
  const targets = createTargets([
    { origin: `http://${address}:8080` },
    { origin: 'https://hooks.example.org', address },
    { origin: 'https://hooks.example.org', address: 'fd00::1' },
    { origin: 'https://hooks.example.org:8443' },
    { origin: 'https://other.example.org' },
    local
  ])
  const cases = [
    { url: `http://${address}:8080/`, address, connects: true },
    { url: 'https://hooks.example.org/', address, connects: true },
    { url: 'https://hooks.example.org/', address: 'fd00::1', connects: true },
    { url: 'https://hooks.example.org/', address: '10.1.2.4', connects: false },
    { url: 'https://hooks.example.org:8443/', address, connects: false },
    { url: 'https://other.example.org/', address, connects: false },
    { url: 'https://other.example.org/', address: '127.0.0.1', connects: false },
    { url: 'https://other.example.org/', address: '93.184.216.34', connects: true },
    { url: `${local.origin}/`, address: '127.0.0.1', connects: true },
    { url: `${local.origin}/`, address, connects: false }
  ]
  for (const { url, address, connects } of cases)
    t.equal(targets.isConnectable(url, address), connects, `${url} at ${address}`)
  const sender = createSender({
    targets,
    resolveHost: (_host, done) => done(null, [{ address: '10.1.2.3', family: 4 }])
  })
  t.same(await sender.send(delivery(`${local.origin}/`), never), { result: 'ADDRESS_REFUSED' })
  await sender.close()
  t.equal(connections(), 0)
})

t.test('a name is resolved once, and the server connects to the checked address', async (t) => {
  const receiver = await startReceiver(t)
  const { port } = new URL(receiver.url)
  const origin = `http://localhost:${port}`
  let resolved = 0
  // A second resolution of the name would return the second address.
  const resolveHost: ResolveHost = (_host, done) =>
    done(null, [{ address: ++resolved === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }])
  const sender = createSender({ targets: createTargets([{ origin }]), resolveHost })
  t.same(await sender.send(delivery(`${origin}/`), never), { result: 'STATUS_401', retryAfterMs: undefined })
  t.equal(resolved, 1)
  t.equal(receiver.connections(), 1)
  await sender.close()
})

t.test('an origin that is no longer listed gets no connection', async (t) => {
  const { port, connections } = await listener(t)
  const sender = createSender({ targets: createTargets([{ origin: 'https://hooks.example.org' }]) })
  t.same(await sender.send(delivery(`http://127.0.0.1:${port}/`), never), { result: 'TARGET_NOT_ALLOWED' })
  t.equal(connections(), 0)
  await sender.close()
})
