import t from 'tap'
import { Deadline } from '../../src/platform/concurrency/deadline.js'
import type { Problem } from '../../src/platform/errors/problem.js'
import { clockOf } from '../fixtures/clock.js'

/** Milliseconds; only the fake clock reaches them. */
const limit = 240_000
const clock = clockOf(t)
const never = new Promise<never>(() => {})

const codeOf = (work: Promise<unknown>) => work.then(String, (cause: Problem) => cause.code)

/** The code of the problem at the deadline, for work that never ends. */
function late(deadline: Deadline): Promise<string> {
  const code = codeOf(deadline.wait(never))
  clock.pass(limit)
  return code
}

/** The code of the problem of a write that fails after its commit began. */
const failing = (deadline: Deadline, code: string) =>
  codeOf(
    deadline.commit(async (begin) => {
      begin()
      throw Object.assign(new Error(code), { code })
    })
  )

const failsLater = (deadline: Deadline) => codeOf(deadline.wait(Promise.reject(new Error('later'))))

t.test('a request that has not written gets an error that allows a retry', async (t) => {
  t.equal(await late(new Deadline(limit)), 'busy')

  const withoutEffect = new Deadline(limit)
  const write = withoutEffect.commit(
    async (begin) => {
      begin()
      return false
    },
    (isWritten) => isWritten
  )
  t.equal(await write, false)
  t.equal(await late(withoutEffect), 'busy', 'a write without effect')

  const refused = new Deadline(limit)
  t.equal(await failing(refused, '23505'), '23505')
  t.equal(await late(refused), 'busy', 'a write that was rolled back')
})

t.test('the outcome is unknown when a commit is in flight or its connection is lost', async (t) => {
  const committing = new Deadline(limit)
  void committing.commit(async (begin) => {
    begin()
    await never
  })
  t.equal(await late(committing), 'outcome-unknown')
  for (const code of ['08007', '40003']) t.equal(await failing(new Deadline(limit), code), 'outcome-unknown')
  t.equal(await failing(new Deadline(limit), '08006'), '08006', 'nothing was committed')
})

t.test('the outcome is unknown when work fails after a commit', async (t) => {
  const committed = new Deadline(limit)
  await committed.commit(async (begin) => begin())
  t.equal(await failsLater(committed), 'outcome-unknown')
  t.equal(await failing(committed, '08006'), '08006')
  t.equal(await failsLater(committed), 'outcome-unknown', 'also after a second commit that failed')
})

t.test('a commit after the deadline is rejected', async (t) => {
  const exceeded = new Deadline(limit)
  await late(exceeded)
  t.equal(await codeOf(exceeded.commit(async (begin) => begin())), 'busy')
  const spent = new Deadline(0)
  t.equal(await codeOf(spent.commit(async (begin) => begin())), 'busy', 'also if nobody waits for it')
})
