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

t.test('keeps a released permit taken until the event loop turns', async (t) => {
  const semaphore = createSemaphore({ permits: 1, maxQueue: 1, rests: true })
  const release = await semaphore.acquire(patient)
  let isGranted = false
  const next = semaphore.acquire(patient).then(() => {
    isGranted = true
  })
  release()
  await Promise.resolve()
  t.notOk(isGranted)
  await next
})

t.test('limits the permits and the places in the queue of a caller and of an organization', async (t) => {
  const semaphore = createSemaphore({
    permits: 3,
    maxQueue: 5,
    shares: [
      { permits: 1, maxQueue: 1 },
      { permits: 2, maxQueue: 3 }
    ]
  })
  const granted: string[] = []
  const acquire = (caller: string, organization: string) =>
    semaphore.acquire(undefined, [caller, organization]).then((release) => {
      granted.push(caller)
      return release
    })
  const full = { name: 'PermitRefused', reason: 'share-full' }
  const first = acquire('a1', 'a')
  const second = acquire('a1', 'a')
  await turn()
  t.same(granted, ['a1'], 'a caller has one permit')
  t.throws(() => semaphore.check(['a1', 'a']), full)
  await t.rejects(acquire('a1', 'a'), full, 'and one place in the queue')
  const colleagues = ['a2', 'a3', 'a4'].map((caller) => acquire(caller, 'a'))
  await turn()
  t.same(granted, ['a1', 'a2'], 'an organization has two permits')
  await t.rejects(acquire('a5', 'a'), full, 'and three places in the queue')
  const other = acquire('b1', 'b')
  await turn()
  t.same(granted, ['a1', 'a2', 'b1'], 'another organization passes those that wait for their share')
  const waiting = [acquire('b2', 'b'), acquire('c1', 'c')]
  await t.rejects(acquire('d1', 'd'), { name: 'PermitRefused', reason: 'queue-full' })
  for (const held of [other, first, second, ...colleagues, ...waiting]) (await held)()
  t.same(granted, ['a1', 'a2', 'b1', 'b2', 'a1', 'a3', 'a4', 'c1'])
  t.doesNotThrow(() => semaphore.check(['a1', 'a']))
})
