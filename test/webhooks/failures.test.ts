import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createSecretCipher } from '../../src/webhooks/secrets.js'
import type { Receiver } from '../fixtures/events/receiver.js'
import { webhookServer } from '../fixtures/events/webhooks.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { until } from '../fixtures/waiting.js'

const { w, sql, subscribe, attemptNow } = await webhookServer(t)

/** The subjects of the events that were accepted. */
const subjectsOf = (receiver: Receiver) => receiver.events().map(({ subject }) => subject)

t.test('a dead target is suspended after ten attempts, and loses nothing', async (t) => {
  const { receiver, path, state } = await subscribe(t)
  receiver.answerWith(() => 500)
  const created = [await w.createDraft(), await w.createDraft(), await w.createDraft()]
  const tests = receiver.received.length
  await until(async () => {
    await attemptNow()
    return (await state()).status === 'SUSPENDED'
  })
  t.match(await state(), { statusReason: 'attempts-exhausted', failures: 10, nextAttempt: null })
  t.same(
    (await state()).attempts
      .slice(0, 10)
      .map(({ attempt, result }: Record<string, unknown>) => [attempt, result]),
    Array.from({ length: 10 }, (_, at) => [10 - at, 'STATUS_500'])
  )
  const attempts = receiver.received.slice(tests)
  t.same(
    new Set(attempts.map(({ event }) => event.subject)),
    new Set(created.slice(0, 1)),
    'it waits at the first'
  )
  t.equal(new Set(attempts.map(({ id }) => id)).size, 1, 'with the same id')
  t.ok((await state()).lagSeconds >= 0)
  receiver.answerWith(() => 200)
  await w.nurse.post(`${path}/resume`, undefined, 204)
  await until(() => receiver.events().length === 3)
  t.same(subjectsOf(receiver), created, 'in order')
})

t.test('after the loss of the key a rotation restores deliveries', async (t) => {
  const { receiver, path, state } = await subscribe(t)
  const lost = createSecretCipher(randomBytes(32)).seal(receiver.secret, path.split('/').at(-1) ?? '')
  await sql`update subscription_secrets set sealed = ${lost}`
  const order = await w.createDraft()
  await until(async () => (await state()).attempts[0].result === 'SECRET_UNREADABLE')
  const { body } = await w.nurse.post(`${path}/rotate`, undefined, 200)
  receiver.verifyWith(body.secret)
  await w.nurse.post(`${path}/resume`, undefined, 204)
  // On a slow machine the retry after five seconds comes before the rotation, and fails too.
  await until(async () => (await state()).attempts[0].result === 'DELIVERED')
  t.match(await state(), { failures: 0, attempts: [{ result: 'DELIVERED' }] })
  t.same(subjectsOf(receiver), [order])
})

t.test('Retry-After delays the next attempt', async (t) => {
  const { receiver, state } = await subscribe(t)
  receiver.answerWith(() => (response) => response.writeHead(503, { 'retry-after': '3600' }).end())
  await w.createDraft()
  await until(async () => (await state()).failures === 1)
  const { nextAttempt, attempts } = await state()
  t.ok(Date.parse(nextAttempt) >= Date.parse(attempts[0].time) + 3_590_000)
})

t.test('410 ends a subscription, and a new target continues it', async (t) => {
  const { receiver, path, state } = await subscribe(t)
  receiver.answerWith(() => 410)
  const order = await w.createDraft()
  await until(async () => (await state()).status === 'ENDED')
  t.match(await state(), { statusReason: 'gone' })
  for (const verb of ['resume', 'test', 'pause'])
    t.equal(outcome(await w.nurse.post(`${path}/${verb}`, undefined)), '409 subscription-stopped', verb)
  receiver.answerWith(() => 200)
  const { target, types } = await state()
  await w.nurse.put(path, { target: `${target}other`, types }, 204)
  await until(() => receiver.events().length === 1)
  t.same(subjectsOf(receiver), [order])
  t.match(await state(), { status: 'ACTIVE', statusReason: null })
})

t.test('a target that does not accept the test event stays pending', async (t) => {
  const { receiver, state } = await subscribe(t, { status: 404 })
  const order = await w.createDraft()
  await until(async () => (await state()).failures > 0)
  t.match(await state(), { status: 'PENDING' })
  t.ok(receiver.received.every(({ event }) => event.type === 'subscription.test'))
  receiver.answerWith(() => 200)
  await attemptNow()
  await until(() => receiver.events().length > 0)
  t.match(await state(), { status: 'ACTIVE' })
  t.same(subjectsOf(receiver), [order], 'and then gets what happened since its creation')
})
