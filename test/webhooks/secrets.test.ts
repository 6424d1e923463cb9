import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { buildApp } from '../../src/app.js'
import { readKeyFile } from '../../src/platform/encryption/encryption.js'
import { createSecretCipher, isSecret, newSecret } from '../../src/webhooks/secrets.js'
import { settingsWithoutTimePressure, testApp } from '../fixtures/app.js'
import { callers, postWithKey } from '../fixtures/callers.js'
import { webhookServer } from '../fixtures/events/webhooks.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { temporaryFolder } from '../fixtures/server.js'
import { asServerRole } from '../fixtures/server-role.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

const url = `${orders}/subscription`

t.test('a secret is encrypted, and bound to its subscription', async (t) => {
  const box = createSecretCipher(Buffer.alloc(32, 1))
  const secret = newSecret()
  t.ok(isSecret(secret))
  const sealed = box.seal(secret, 'one')
  t.equal(box.open(sealed, 'one'), secret)
  t.notSame(box.seal(secret, 'one'), sealed, 'each time differently')
  t.throws(() => box.open(sealed, 'other'))
  t.throws(() => createSecretCipher(Buffer.alloc(32, 2)).open(sealed, 'one'))
  const changed = Buffer.from(sealed)
  changed[20] = (changed[20] ?? 0) ^ 1
  t.throws(() => box.open(changed, 'one'))
})

t.test('checks the form of secrets', async (t) => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 9).toString('base64')}`
  for (const bytes of [24, 32, 64]) t.ok(isSecret(of(bytes)), `${bytes}`)
  for (const text of [of(23), of(65), of(32).slice(6), `${of(32)}=`, 'whsec_', 'whsec_%%%'])
    t.notOk(isSecret(text), text)
})

t.test('the file of the key is created once, readable only for its owner', async (t) => {
  const folder = join(temporaryFolder(t), 'data')
  const key = readKeyFile(folder)
  t.equal(key.length, 32)
  t.same(readKeyFile(folder), key)
  t.equal(statSync(join(folder, 'secrets.key')).mode & 0o777, 0o600)
})

t.test('only a caller who may read the events of a subscription rotates its secret', async (t) => {
  const app = await testApp(t)
  const region = organization('region')
  const as = (...permissions: string[]) =>
    app.as('MonitoringResponsible', region, { permissions: ['Subscription.*', ...permissions] })
  const wide = { ...subscription, types: ['order.created', 'party.changed', 'catalogue.changed'] }
  // The subscription delivers no events of catalogues.
  const owner = as('Order.read', 'Party.read')
  const path = pathOf(await owner.create(url, wide))
  for (const { caller, wanted } of [
    { caller: owner, wanted: '200' },
    { caller: as('Order.*', 'Party.*'), wanted: '200' },
    { caller: as('Order.read'), wanted: '403 forbidden' },
    { caller: as('Party.read', 'Catalogue.read'), wanted: '403 forbidden' },
    { caller: as(), wanted: '403 forbidden' },
    { caller: app.as('AdministrativeClerk', region), wanted: '403 forbidden' },
    { caller: app.as('MonitoringResponsible', organization('other')), wanted: '404 not-found' }
  ])
    t.equal(outcome(await caller.post(`${path}/rotate`, undefined)), wanted)
  t.equal((await app.sql`select from subscription_secrets`).length, 3, 'a refusal makes none')
})

t.test('a secret is shown once, and stored encrypted', async (t) => {
  const DATA_DIR = join(temporaryFolder(t), 'data')
  const app = await testApp(t, { SECRETS_KEY: '', DATA_DIR })
  const nurse = app.as('MonitoringResponsible', organization('region'))
  t.notOk(existsSync(DATA_DIR), 'the file is made when it is needed')
  const short = { ...subscription, secret: 'whsec_short' }
  t.equal(outcome(await nurse.post(url, short)), '400 invalid-body /secret')
  const created = await postWithKey(nurse, 'key-1', url, subscription)
  t.equal(created.status, 201)
  const { secret } = created.body
  t.ok(isSecret(secret))
  const path = pathOf(created.headers.location ?? '')
  const shown = [
    await nurse.get(path, 200),
    await nurse.get(`${orders}/subscriptions`, 200),
    await app.as('AdministrativeClerk', organization('region')).get(path, 200)
  ]
  t.notMatch(JSON.stringify(shown), /whsec_/)
  const stored = await app.sql`select sealed from subscription_secrets`
  t.equal(stored.length, 1)
  const bytes = Buffer.from(secret.slice(6), 'base64')
  t.notOk(stored[0]?.sealed.includes(bytes) || stored[0]?.sealed.includes(secret))
  const repeat = await postWithKey(nurse, 'key-1', url, subscription)
  t.equal(repeat.body.secret, secret, 'a repeat with the same Idempotency-Key gets the same response')
  t.equal(created.headers['cache-control'], 'no-store')

  const rotated = await postWithKey(nurse, 'key-2', `${path}/rotate`, {})
  t.equal(rotated.headers['cache-control'], 'no-store')
  t.not(rotated.body.secret, secret)
  t.not((await nurse.post(`${path}/rotate`, undefined, 200)).body.secret, rotated.body.secret)
  t.equal(
    (await postWithKey(nurse, 'key-1', url, subscription)).body.secret,
    secret,
    'a repeat does not reveal what was made since'
  )
  t.same((await postWithKey(nurse, 'key-2', `${path}/rotate`, {})).body, rotated.body)
  t.notOk(
    app.lines.some((line) => line.includes('whsec_')),
    'no log line has one'
  )
})

t.test('an instance without the key of secrets creates and shows no secret', async (t) => {
  const app = await testApp(t)
  const nurse = app.as('MonitoringResponsible', organization('region'))
  const made = await postWithKey(nurse, 'key-1', url, subscription)
  const config = loadConfig({
    ...settingsWithoutTimePressure,
    LOG_LEVEL: 'silent',
    EVENT_TARGETS: 'http://127.0.0.1:9'
  })
  const webhooks = { ...config.webhooks, secretsKey: undefined, keyFolder: undefined }
  const keyless = await buildApp({ ...config, webhooks }, asServerRole(app.databaseUrl))
  t.teardown(() => keyless.close())
  const caller = callers(keyless)('MonitoringResponsible', organization('region'))
  const before = await app.sql`select from subscription_secrets`
  const refused = {
    create: await caller.post(url, subscription),
    rotate: await caller.post(`${pathOf(made.headers.location ?? '')}/rotate`, undefined),
    repeat: await postWithKey(caller, 'key-1', url, subscription)
  }
  for (const [name, response] of Object.entries(refused)) {
    t.equal(outcome(response), '503 webhooks-unavailable', name)
    t.equal(response.headers['retry-after'], '3600', name)
  }
  t.equal((await app.sql`select from subscription_secrets`).length, before.length)
})

t.test('after a rotation under load only the delivery in flight lacks the new signature', async (t) => {
  const { w, sql, subscribe } = await webhookServer(t)
  const { receiver, path } = await subscribe(t)
  receiver.verifyLater(250)
  let isOver = false
  let made = 0
  const load = async () => {
    while (!isOver) {
      // Only as many events as the receiver can verify, because the remaining events are delivered
      // at the end.
      if (made - receiver.received.length > 20) await until(() => made - receiver.received.length < 10)
      await w.createDraft()
      made++
    }
  }
  const writers = [load(), load()]
  const delivered = () => {
    if (receiver.rejected.length > 0) throw new Error(`A delivery was rejected: ${receiver.rejected}`)
    return receiver.received.length
  }
  for (let turn = 0; turn < 3; turn++) {
    const before = delivered()
    await until(() => delivered() > before + 5)
    const { body } = await w.nurse.post(`${path}/rotate`, undefined, 200)
    const inFlight = delivered()
    await until(() => delivered() > inFlight)
    // From this time the receiver uses only the new secret.
    receiver.verifyWith(body.secret)
    t.ok(Date.parse(body.formerValidUntil) > Date.now() + 23 * 3_600_000)
  }
  isOver = true
  await Promise.all(writers)
  await until(() => delivered() > made)
  t.same(receiver.rejected, [])
  const last = receiver.received.at(-1)
  const signatures = () => String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ')
  t.equal(signatures().length, 4, 'one signature for each secret')
  new Webhook(receiver.secret).verify(last?.body ?? '', last?.headers as Record<string, string>)

  await w.nurse.post(`${path}/rotate`, undefined, 200)
  t.equal(outcome(await w.nurse.post(`${path}/rotate`, undefined)), '409 too-many-secrets')
  await sql`update subscription_secrets set valid_until = now() where valid_until is not null`
  const { body } = await w.nurse.post(`${path}/rotate`, undefined, 200)
  receiver.verifyWith(body.secret)
  const order = await w.createDraft()
  await until(() => receiver.received.some(({ event }) => event.subject === order))
  t.equal(signatures().length, 2, 'expired ones sign no more')
})
