import t from 'tap'
import { Freshness } from '../../src/db/replica/freshness.js'

const MAX_LAG_MS = 5000

t.test('a standby is read from once it was current for twice the limit', async (t) => {
  const freshness = new Freshness(MAX_LAG_MS, 0)
  t.notOk(freshness.isReadable(0))
  t.ok(freshness.isAwaited(10_000), 'writes wait before anything is known')
  t.notOk(freshness.isAwaited(10_001))
  for (let now = 1000; now <= 11_000; now += 1000) {
    freshness.primaryAt(now, now - 1, now)
    freshness.standbyAt(now, now)
    t.equal(freshness.isReadable(now), now === 11_000, String(now))
  }
  t.ok(freshness.isReadable(15_998))
  t.notOk(freshness.isReadable(15_999), 'the last proof is too old')
  t.ok(freshness.isAwaited(20_999), 'another instance may know better')
  t.notOk(freshness.isAwaited(21_000))
  freshness.primaryAt(16_001, 16_001, 16_001)
  freshness.standbyAt(16_001, 16_001)
  t.notOk(freshness.isReadable(26_000))
})

/** A standby that was current until this time. */
function current(until: number) {
  const freshness = new Freshness(MAX_LAG_MS, 0)
  for (let now = 0; now <= until; now += 1000) {
    freshness.primaryAt(now, now, now)
    freshness.standbyAt(now, now)
  }
  return freshness
}

t.test('a standby remains in use without the primary, if it has what was written', async (t) => {
  const freshness = current(20_000)
  freshness.primaryUnreachable()
  t.ok(freshness.isReadable(1_000_000))
  freshness.require(20_001)
  t.notOk(freshness.isReadable(1_000_000), 'a write that it has not replayed')
  freshness.standbyAt(20_001, 1_000_001)
  t.ok(freshness.isReadable(1_000_001))
  freshness.primaryAt(20_002, 1_000_002, 1_000_002)
  t.notOk(freshness.isReadable(1_000_002), 'others may have written since')
})

t.test('a standby that restarts at an earlier position is behind', async (t) => {
  const freshness = current(20_000)
  freshness.standbyUnreachable()
  t.notOk(freshness.isReadable(20_001))
  freshness.standbyAt(19_000, 20_002)
  t.ok(freshness.isReadable(20_002))
  freshness.standbyAt(14_000, 20_003)
  t.notOk(freshness.isReadable(20_003))
})

t.test('no instance reads what is older than an acknowledged write', async (t) => {
  const reads = { standby: 0, acknowledged: 0, skipped: 0 }
  for (let seed = 1; seed <= 60; seed++) simulate(t, seed, reads)
  t.ok(reads.standby > 1000 && reads.acknowledged > 1000 && reads.skipped > 100, JSON.stringify(reads))
})

/** Two instances and a standby that stalls, falls behind and catches up, in steps of 100 ms. */
function simulate(t: Tap, seed: number, reads: Record<'standby' | 'acknowledged' | 'skipped', number>): void {
  let state = seed
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  const instances = [0, 1].map(() => ({
    freshness: new Freshness(MAX_LAG_MS, 0),
    phase: Math.floor(random() * 10) * 100,
    waiting: [] as { lsn: number; since: number }[]
  }))
  /** Times at which the primary committed each position. */
  const committed: number[] = []
  let replayed = 0
  let acknowledged = 0
  let delayMs = 0
  for (let now = 0; now < 120_000; now += 100) {
    if (random() < 0.005) delayMs = random() < 0.4 ? 0 : random() * 25_000
    while (replayed < committed.length && now - (committed[replayed] ?? now) >= delayMs) replayed++
    for (const { freshness, phase, waiting } of instances) {
      if (now % 1000 === phase) {
        freshness.primaryAt(committed.length, now, now)
        freshness.standbyAt(replayed, now)
      }
      if (waiting.length > 0) freshness.standbyAt(replayed, now)
      if (random() < 0.1) {
        committed.push(now)
        if (!freshness.isAwaited(now)) reads.skipped++
        waiting.push({ lsn: committed.length, since: now })
      }
      for (const write of [...waiting]) {
        const isLate = now - write.since >= MAX_LAG_MS || !freshness.isAwaited(now)
        if (!isLate && !freshness.hasReplayed(write.lsn)) continue
        if (!freshness.hasReplayed(write.lsn)) freshness.require(write.lsn)
        acknowledged = Math.max(acknowledged, write.lsn)
        waiting.splice(waiting.indexOf(write), 1)
        reads.acknowledged++
      }
    }
    for (const { freshness } of instances)
      if (freshness.isReadable(now)) {
        reads.standby++
        if (replayed < acknowledged)
          t.fail(`seed ${seed}, ${now} ms: ${replayed} is read after ${acknowledged} was acknowledged`)
      }
  }
}

type Tap = Pick<typeof t, 'fail'>
