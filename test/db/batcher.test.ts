import { setImmediate as immediate } from 'node:timers/promises'
import t from 'tap'
import { createBatcher } from '../../src/db/batch/batcher.js'
import type { Database } from '../../src/db/driver/database.js'

const db = {} as Database

const fault = (code: string) => Object.assign(new Error(code), { code })

/** A batcher that doubles entries and records its batches. */
function doubling({
  maxBatchWeight = 100,
  maxWaitMs = 10_000,
  refuse = (_: number): boolean => false,
  code = '22P02'
} = {}) {
  const groups: number[][] = []
  const double = createBatcher<number, number>({
    name: 'test',
    async execute(_, entries) {
      groups.push([...entries])
      await immediate()
      if (entries.some(refuse)) throw fault(code)
      return entries.map((entry) => entry * 2)
    },
    weight: (entry) => entry,
    maxBatchWeight,
    maxWaitMs
  })
  const outcome = (entry: number) => double(db, entry).catch((cause) => cause.code)
  return { groups, all: (...entries: number[]) => Promise.all(entries.map(outcome)), outcome }
}

t.test('batches concurrent entries and resolves each with its own result', async (t) => {
  const { groups, all, outcome } = doubling()
  const first = all(1, 2, 3)
  while (groups.length === 0) await immediate()
  const later = [outcome(4), outcome(5)]
  t.same(await first, [2, 4, 6])
  t.same(await Promise.all(later), [8, 10])
  t.same(await all(6), [12])
  t.same(groups, [[1, 2, 3], [4, 5], [6]])
})

t.test('starts a batch with half of the callers before the other half has used its results', async (t) => {
  const log: string[] = []
  const ask = createBatcher<number, number>({
    name: 'test',
    async execute(_, entries) {
      log.push(`start ${entries.length}`)
      await immediate()
      return entries
    },
    maxBatchWeight: 100,
    maxWaitMs: 10_000,
    inHalves: true
  })
  const askTwice = async (entry: number) => {
    await ask(db, entry)
    log.push('use')
    return ask(db, entry)
  }
  const first = askTwice(1)
  while (log.length === 0) await immediate()
  t.same(await Promise.all([first, ...[2, 3, 4, 5, 6, 7].map(askTwice)]), [1, 2, 3, 4, 5, 6, 7])
  t.same(log.slice(0, 3), ['start 1', 'start 4', 'use'], 'the one that is in use counts for the next half')
  t.ok(log.filter((each) => each.startsWith('start')).every((each) => /[1-4]$/.test(each)))
})

t.test('limits the weight of a group, except for a single entry', async (t) => {
  const { groups, all } = doubling({ maxBatchWeight: 10 })
  t.same(await all(5, 5, 1, 30, 2, 8), [10, 10, 2, 60, 4, 16])
  t.same(groups, [[5, 5], [1], [30], [2, 8]])
})

const isolated = (code: string) => [2, 4, code, 8, 10]
const shared = (code: string) => Array(5).fill(code)
for (const { what, code, outcomes } of [
  { what: 'a value', code: '22P02', outcomes: isolated },
  { what: 'a constraint', code: '23514', outcomes: isolated },
  { what: 'a conflict', code: '40P01', outcomes: isolated },
  { what: 'a lost connection', code: '08007', outcomes: shared },
  { what: 'a statement that may have been completed', code: '40003', outcomes: shared },
  { what: 'a statement timeout', code: '57014', outcomes: shared }
])
  t.test(`handles a failure of ${what}`, async (t) => {
    const { all } = doubling({ refuse: (entry) => entry === 3, code })
    t.same(await all(1, 2, 3, 4, 5), outcomes(code))
    t.same(await all(1, 2), [2, 4], 'later entries succeed')
  })

t.test('starts the next batch while a slow one is in flight', async (t) => {
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  let isStarted = false
  const ask = createBatcher<string, string>({
    name: 'test',
    async execute(_, entries) {
      isStarted = true
      if (entries.includes('slow')) await slow
      return entries
    },
    maxBatchWeight: 10,
    maxWaitMs: 20
  })
  const first = ask(db, 'slow')
  while (!isStarted) await immediate()
  t.equal(await ask(db, 'quick'), 'quick')
  release()
  t.equal(await first, 'slow')
})

t.test('omits an entry that cannot start', async (t) => {
  const groups: number[][] = []
  let isOver = false
  const ask = createBatcher<number, number>({
    name: 'test',
    beforeExecute(entry) {
      if (isOver && entry === 2) throw fault('over')
    },
    async execute(_, entries) {
      groups.push([...entries])
      await immediate()
      if (entries.length > 1) {
        isOver = true
        throw fault('40P01')
      }
      return entries
    },
    maxBatchWeight: 10,
    maxWaitMs: 10_000
  })
  const outcomes = await Promise.all([1, 2, 3].map((entry) => ask(db, entry).catch((cause) => cause.code)))
  t.same(outcomes, [1, 'over', 3])
  t.same(groups, [[1, 2, 3], [1], [3]], 'also when its part of a split batch starts')
  t.equal(await ask(db, 2).catch((cause) => cause.code), 'over')
  t.equal(groups.length, 3, 'an empty batch is not run')
})

t.test('rejects entries when the queue is full', async (t) => {
  const { all } = doubling()
  const outcomes = await all(...Array(10_002).fill(0))
  t.same(outcomes.filter((each) => each === 'busy').length, 2)
})
