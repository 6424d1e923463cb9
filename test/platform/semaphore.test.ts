import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createSemaphore } from '../../src/platform/concurrency/semaphore.js'

const patient = new AbortController().signal

t.test('grants permits in order and never more than there are', async (t) => {
  const semaphore = createSemaphore({ permits: 2, maxQueue: 2 })
  const granted: number[] = []
  const releases: (() => void)[] = []
  const wait = (nth: number) =>
    semaphore.acquire(patient).then((release) => {
      granted.push(nth)
      releases.push(release)
    })
  const all = [1, 2, 3, 4].map(wait)
  await turn()
  t.same(granted, [1, 2])
  await t.rejects(semaphore.acquire(patient), { name: 'PermitRefused', reason: 'queue-full' })
  releases[0]?.()
  releases[0]?.()
  await turn()
  t.same(granted, [1, 2, 3], 'a permit released twice is one permit')
  const last = wait(5)
  releases[1]?.()
  releases[2]?.()
  await Promise.all([...all, last])
  t.same(granted, [1, 2, 3, 4, 5])
})

t.test('removes an aborted waiter from the queue', async (t) => {
  const semaphore = createSemaphore({ permits: 1, maxQueue: 1 })
  const release = await semaphore.acquire(patient)
  const impatient = new AbortController()
  const waiting = semaphore.acquire(impatient.signal)
  impatient.abort()
  const aborted = { name: 'PermitRefused', reason: 'aborted' }
  await t.rejects(waiting, aborted)
  await t.rejects(semaphore.acquire(impatient.signal), aborted)
  const next = semaphore.acquire(patient)
  release()
  await t.resolves(next)
})

t.test('releases the permit of work that fails', async (t) => {
  const semaphore = createSemaphore({ permits: 1, maxQueue: 0 })
  const failing = semaphore.run(patient, async () => {
    throw new Error('no')
  })
  await t.rejects(failing, { message: 'no' })
  t.equal(await semaphore.run(patient, async () => 'done'), 'done')
})

t.test('rests a permit of a key before it is granted again', async (t) => {
  const semaphore = createSemaphore({ permits: 1, maxQueue: 1, share: { permits: 1, maxQueue: 1 } })
  const release = await semaphore.acquire(patient, 'one')
  let isGranted = false
  const next = semaphore.acquire(patient, 'one').then(() => {
    isGranted = true
  })
  release()
  await Promise.resolve()
  t.notOk(isGranted, 'the event loop turns first')
  await next
})

t.test('a key has its share of permits and of the queue', async (t) => {
  const semaphore = createSemaphore({ permits: 2, maxQueue: 3, share: { permits: 1, maxQueue: 1 } })
  const granted: string[] = []
  const acquire = (key: string) =>
    semaphore.acquire(undefined, key).then((release) => {
      granted.push(key)
      return release
    })
  const first = acquire('one')
  const second = acquire('one')
  await turn()
  t.same(granted, ['one'], 'the other permit is for others')
  t.throws(() => semaphore.check('one'), { name: 'PermitRefused', reason: 'share-full' })
  const other = acquire('other')
  await turn()
  t.same(granted, ['one', 'other'], 'another key passes those that wait for their share')
  const waiting = [acquire('third'), acquire('fourth')]
  await t.rejects(acquire('fifth'), { name: 'PermitRefused', reason: 'queue-full' })
  for (const held of [first, second, other, ...waiting]) (await held)()
  t.same(granted, ['one', 'other', 'one', 'third', 'fourth'])
  t.doesNotThrow(() => semaphore.check('one'))
})
