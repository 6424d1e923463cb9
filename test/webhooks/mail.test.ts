import { createServer } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import t, { type Test } from 'tap'
import { createMailer } from '../../src/webhooks/mail/mailer.js'
import { testWorld } from '../fixtures/app.js'
import { startMailServer } from '../fixtures/mail-server.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { serve } from '../fixtures/serve.js'
import { until } from '../fixtures/waiting.js'
import { orders, party, pathOf } from '../fixtures/world.js'

const address = 'Orders@Region.example'

/** A mail server, and a server of orders that sends through it. The buyer has an address. */
async function mailWorld(t: Test, options: SMTPServerOptions = {}) {
  const { port, mails } = await startMailServer(t, options)
  const smtpUrl = `smtp://127.0.0.1:${port}`
  const { app, w } = await testWorld(t, { SMTP_URL: smtpUrl, MAIL_FROM: 'ssl@platform.example' })
  await w.clerk.put(pathOf(w.buyer), { ...party('region', 'BUYER'), email: address })
  const subscribe = (target = `mailto:${address.toLowerCase()}`, more = {}) =>
    w.nurse.post(`${orders}/subscription`, {
      ...{ target, types: ['order.created', 'order.note-added'] },
      ...more
    })
  /** Ends the interval between two mails. */
  const nextMail = () => app.sql`update subscription_deliveries set next_attempt_at = now(),
    attempts = (select coalesce(jsonb_agg(jsonb_set(each, '{time}', '"2026-01-01T00:00:00.000Z"')), '[]')
      from jsonb_array_elements(attempts) each)`
  return { ...app, w, mails, subscribe, nextMail, smtpUrl }
}

t.test('sends the numbers of events by type, at most one mail each interval', async (t) => {
  const { w, mails, subscribe, nextMail } = await mailWorld(t)
  const answer = await subscribe()
  t.match(answer, { status: 201, body: { secret: null } })
  const path = `${orders}/subscription/${answer.body.id}`
  const state = async () => (await w.nurse.get(path, 200)).body
  await until(async () => (await state()).status === 'ACTIVE')
  t.same(mails[0]?.to, [address.toLowerCase()])

  await w.createDraft({ name: 'Secret name' })
  await w.createDraft()
  await w.otherNurse.create(`${orders}/order`, { ...w.draft(), buyer: w.otherBuyer })
  await until(async () => (await state()).nextAttempt !== null)
  t.equal(mails.length, 1, 'before the end of the interval')
  await nextMail()
  await until(() => mails.length === 2)
  const [, { text = '' } = {}] = mails
  t.match(text, /2 =C3=97 bestilling oprettet|2 × bestilling oprettet/)
  t.match(text, /order created/)
  t.notMatch(text, /Secret|Rasmus|Patient|order\/0/)
  await until(async () => (await state()).attempts[0].type === 'subscription.mail')
  t.match((await state()).attempts[0], { result: 'DELIVERED' })
  t.equal(outcome(await w.nurse.post(`${path}/rotate`, undefined)), '409 no-secret')
})

t.test('sends only to addresses of parties of the caller’s organization', async (t) => {
  const { w, mails, subscribe, nextMail, sql } = await mailWorld(t)
  const refused = '422 target-not-allowed /target'
  for (const target of [
    'mailto:other@region.example',
    `mailto:${address}?bcc=other@example.org`,
    `mailto:${address},other@example.org`,
    `mailto:${address}%0Abcc:other@example.org`,
    'mailto:'
  ])
    t.equal(outcome(await subscribe(target)), refused, target)
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  t.equal(outcome(await subscribe(undefined, { secret })), '400 invalid-body /secret')
  const { body } = await subscribe()
  const path = `${orders}/subscription/${body.id}`
  const state = async () => (await w.nurse.get(path, 200)).body
  await until(async () => (await state()).status === 'ACTIVE')
  await sql`update parties set email = 'new@region.example'`
  await w.createDraft()
  await until(async () => (await state()).nextAttempt !== null)
  await nextMail()
  await until(async () => (await state()).failures > 0)
  t.match((await state()).attempts[0], { result: 'TARGET_NOT_ALLOWED' })
  t.equal(mails.length, 1)
  const replaced = await w.nurse.put(path, { target: 'https://hooks.example.org', types: ['order.created'] })
  t.match(outcome(replaced), '422 target-not-allowed')
})

t.test('records the response of a mail server', async (t) => {
  for (const [code, result] of [
    [450, 'STATUS_450'],
    [550, 'STATUS_550']
  ] as const)
    await t.test(`${code}`, async (t) => {
      const { w, subscribe } = await mailWorld(t, {
        onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no'), { responseCode: code }))
      })
      const { body } = await subscribe()
      const state = async () => (await w.nurse.get(`${orders}/subscription/${body.id}`, 200)).body
      await until(async () => (await state()).failures > 0)
      t.match(await state(), { status: 'PENDING', attempts: [{ result }] })
    })
})

t.test('sends nothing to a server that does not encrypt, when encryption is required', async (t) => {
  const { mails, smtpUrl } = await mailWorld(t)
  const options = { url: smtpUrl, from: 'ssl@platform.example', link: 'https://ssl.example/' }
  const mail = { to: address, subject: 'test', text: 'test' }
  t.not((await createMailer({ ...options, requireTls: true }).send(mail)).result, 'DELIVERED')
  t.equal(mails.length, 0)
  t.same(await createMailer({ ...options, requireTls: false }).send(mail), { result: 'DELIVERED' })
})

t.test('ends an attempt at a server that does not respond', async (t) => {
  const url = `smtp://127.0.0.1:${await serve(t, createServer())}`
  const mailer = createMailer({ url, from: 'ssl@platform.example', requireTls: false, link: '' })
  t.same(await mailer.send({ to: address, subject: 'test', text: 'test' }), { result: 'TIMEOUT' })
})

t.test('rejects mail addresses without a mail server', async (t) => {
  const { w } = await testWorld(t)
  const body = { target: `mailto:${address}`, types: ['order.created'] }
  t.equal(outcome(await w.nurse.post(`${orders}/subscription`, body)), '422 target-not-allowed /target')
})
