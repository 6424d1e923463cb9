import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createSlotTable } from '../../src/platform/concurrency/slot-table.js'
import { Slots } from '../../src/platform/concurrency/slots.js'

const work = 'work'
const patient = new AbortController().signal
/** Quotas of a resource without owners. */
const total = (maximum: number) => ({ total: maximum, caller: maximum, organization: maximum })
const exceeded = (scope: string) => ({
  ...{ code: 'too-many-requests', status: 429 },
  ...{ scope, headers: { 'retry-after': '5' } }
})
const full = { code: 'busy', status: 503, scope: 'total', headers: { 'retry-after': '5' } }

t.test('grants slots in order and never more than there are', async (t) => {
  const slots = new Slots({ work, slots: total(2), queue: total(2) })
  const granted: number[] = []
  const releases: (() => void)[] = []
  const wait = (nth: number) =>
    slots.acquire(undefined, patient).then((release) => {
      granted.push(nth)
      releases.push(release)
    })
  const all = [1, 2, 3, 4].map(wait)
  await turn()
  t.same(granted, [1, 2])
  await t.rejects(slots.acquire(undefined, patient), full)
  releases[0]?.()
  releases[0]?.()
  await turn()
  t.same(granted, [1, 2, 3], 'a slot released twice is one slot')
  t.same([slots.used, slots.waiting], [2, 1])
  const last = wait(5)
  releases[1]?.()
  releases[2]?.()
  await Promise.all([...all, last])
  t.same(granted, [1, 2, 3, 4, 5])
})

t.test('keeps a released slot taken until the event loop turns', async (t) => {
  const slots = new Slots({ work, slots: total(1), queue: total(1), coolDownMs: 20 })
  const release = await slots.acquire(undefined, patient)
  let isGranted = false
  const next = slots.acquire(undefined, patient).then(() => {
    isGranted = true
  })
  release()
  await Promise.resolve()
  t.notOk(isGranted)
  await next
})

t.test('limits the slots and the queue entries of a caller and of an organization', async (t) => {
  const slots = new Slots({
    work,
    slots: { total: 3, caller: 1, organization: 2 },
    queue: { total: 5, caller: 1, organization: 3 }
  })
  const granted: string[] = []
  const acquire = (caller: string, organization: string) =>
    slots.acquire({ caller, organization }).then((release) => {
      granted.push(caller)
      return release
    })
  const first = acquire('a1', 'a')
  const second = acquire('a1', 'a')
  await turn()
  t.same(granted, ['a1'], 'a caller has one slot')
  t.throws(() => slots.check({ caller: 'a1', organization: 'a' }), exceeded('caller'))
  await t.rejects(acquire('a1', 'a'), exceeded('caller'), 'and one place in the queue')
  const colleagues = ['a2', 'a3', 'a4'].map((caller) => acquire(caller, 'a'))
  await turn()
  t.same(granted, ['a1', 'a2'], 'an organization has two slots')
  await t.rejects(acquire('a5', 'a'), exceeded('organization'), 'and three places in the queue')
  const other = acquire('b1', 'b')
  await turn()
  t.same(granted, ['a1', 'a2', 'b1'], 'another organization passes those that wait for their quota')
  const waiting = [acquire('b2', 'b'), acquire('c1', 'c')]
  await t.rejects(acquire('d1', 'd'), full)
  for (const taken of [other, first, second, ...colleagues, ...waiting]) (await taken)()
  t.same(granted, ['a1', 'a2', 'b1', 'b2', 'a1', 'a3', 'a4', 'c1'])
  t.doesNotThrow(() => slots.check({ caller: 'a1', organization: 'a' }))
})

t.test('takes either several slots at once or none', async (t) => {
  const slots = new Slots({ work, slots: { total: 10, caller: 6, organization: 8 } })
  const take = (caller: string, amount: number) => slots.take({ caller, organization: 'a' }, amount)
  const release = take('a1', 6)
  t.throws(() => take('a1', 1), exceeded('caller'))
  t.throws(() => take('a2', 3), exceeded('organization'))
  take('a2', 2)
  t.equal(slots.used, 8)
  t.throws(() => slots.take({ caller: 'b1', organization: 'b' }, 3), full)
  release()
  release()
  t.equal(slots.used, 2)
})

t.test('leaves slots and queue entries of every resource to other organizations', async (t) => {
  const { keyedRequests, ...shared } = createSlotTable(2)
  for (const [resource, { limits }] of Object.entries(shared))
    for (const quotas of [limits.slots, limits.queue ?? { total: 1, caller: 0, organization: 0 }]) {
      if (quotas.total === Number.POSITIVE_INFINITY) continue
      t.ok(quotas.caller <= quotas.organization, resource)
      t.ok(quotas.organization < quotas.total, resource)
    }
})
