import { getEventListeners } from 'node:events'
import t from 'tap'
import { NoResponseError, ProblemError } from '../../clients/typescript/src/index.js'
import { json, problem, scriptedClient } from '../fixtures/scripted-client.js'

const url = 'https://ssl.example/ssl-order/v1/order/1'
const created = () => new Response(null, { status: 201, headers: { location: url } })
const order = { buyer: 'b', seller: 's', receiver: { name: 'n', patient: 'p' } }

t.test('repeats a POST with the same idempotency key', async (t) => {
  const { client, sent } = scriptedClient(new Error('lost'), problem(503, 'outcome-unknown'), created())
  t.match(await client.order.createOrder(order), { url, id: '1' })
  const keys = sent.map(({ headers }) => headers['idempotency-key'])
  t.equal(keys.length, 3)
  t.match(keys[0], /^[0-9a-f-]{36}$/)
  t.equal(new Set(keys).size, 1)
  const other = scriptedClient(created())
  await other.client.order.createOrder(order, { idempotencyKey: 'mine' })
  t.equal(other.sent[0]?.headers['idempotency-key'], 'mine')
})

t.test('repeats a write without a key only when it was not processed', async (t) => {
  const patch = [{ op: 'replace', path: '/priority', value: true }] as const
  const limited = scriptedClient(
    problem(429, 'too-many-requests', { 'retry-after': '0' }),
    new Response(null, { status: 204 })
  )
  await limited.client.order.patchOrder('1', patch)
  t.equal(limited.sent.length, 2)
  const unknown = scriptedClient(problem(503, 'outcome-unknown'))
  await t.rejects(unknown.client.order.patchOrder('1', patch), { code: 'outcome-unknown' })
  t.equal(unknown.sent.length, 1)
  const lost = scriptedClient(new Error('lost'))
  await t.rejects(lost.client.order.deleteOrder('1'), NoResponseError)
  t.equal(lost.sent.length, 1)
})

t.test('gives up after some attempts, and at once for a long Retry-After', async (t) => {
  const { client, sent } = scriptedClient(...Array.from({ length: 9 }, () => problem(503, 'busy')))
  await t.rejects(client.order.getOrder('1'), ProblemError)
  t.equal(sent.length, 4)
  const late = scriptedClient(problem(429, 'too-many-requests', { 'retry-after': '3600' }))
  await t.rejects(late.client.order.getOrder('1'), { code: 'too-many-requests' })
  t.equal(late.sent.length, 1)
})

t.test('sends no request without an id', async (t) => {
  const { client, sent } = scriptedClient(json(200, []))
  for (const id of ['', '.', '..']) await t.rejects(client.order.getOrder(id), TypeError, id)
  await t.rejects(client.order.deleteOrder(''), { message: "id must be an id, not ''." })
  t.equal(sent.length, 0)
})

t.test('leaves no listener on the signal of the caller', async (t) => {
  const { signal } = new AbortController()
  const { client } = scriptedClient(json(200, {}), new Error('lost'), json(200, {}))
  for (let call = 0; call < 2; call++) await client.order.getOrder('1', {}, { signal })
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('sends the token to its own server only', async (t) => {
  const next = { link: '<https://elsewhere.example/ssl-order/v1/orders?after=x>; rel="next"' }
  const { client, sent } = scriptedClient(json(200, [{ id: 'a' }], next), json(200, [{ id: 'b' }]))
  const ids = (await client.order.listOrder({ status: ['SUBMITTED', 'ACCEPTED'] }).all()).map(({ id }) => id)
  t.same(ids, ['a', 'b'])
  t.same(
    sent.map((each) => each.url),
    ['?status=SUBMITTED&status=ACCEPTED', '?after=x'].map(
      (query) => `https://ssl.example/ssl-order/v1/orders${query}`
    )
  )
})
