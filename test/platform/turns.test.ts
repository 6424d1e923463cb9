import { setImmediate as immediate } from 'node:timers/promises'
import t from 'tap'
import { unsignedToken } from '../../scripts/unsigned-token.js'
import { createTurns } from '../../src/platform/turns.js'
import { testApp } from '../fixtures/app.js'
import { orders, organization } from '../fixtures/world.js'

const forever = new AbortController().signal

t.test('pieces of work run one at a time, with the event loop free in between', async (t) => {
  const takeTurn = createTurns()
  const events: string[] = []
  const pieces = ['first', 'second', 'third'].map((name) => takeTurn(forever, () => void events.push(name)))
  const others = (async () => {
    while (!events.includes('third')) {
      await immediate()
      if (events.at(-1) !== 'other') events.push('other')
    }
  })()
  await Promise.all([...pieces, others])
  t.same(events.slice(0, 5), ['first', 'other', 'second', 'other', 'third'])
})

t.test('a piece of work that fails gives its turn to the next', async (t) => {
  const takeTurn = createTurns()
  const fail = () => {
    throw new Error('broken')
  }
  await t.rejects(takeTurn(forever, fail), /broken/)
  let ran = false
  await takeTurn(forever, () => {
    ran = true
  })
  t.ok(ran)
})

t.test('work whose signal aborts loses its turn', async (t) => {
  const takeTurn = createTurns()
  const first = takeTurn(forever, () => {})
  await t.rejects(
    takeTurn(AbortSignal.abort(), () => t.fail('it ran')),
    { name: 'PermitRefused' }
  )
  await first
})

t.test('a small request is answered between large bodies', async (t) => {
  const { app } = await testApp(t)
  const authorization = unsignedToken({
    userType: 'AdministrativeClerk',
    organization: organization('region')
  })
  const as = { authorization, 'content-type': 'application/json' }
  const large = `[${'1,'.repeat(400_000)}`
  let read = 0
  const many = Array.from({ length: 20 }, async () => {
    const { statusCode } = await app.inject({
      method: 'POST',
      url: `${orders}/party`,
      headers: as,
      payload: large
    })
    read++
    return statusCode
  })
  t.equal((await app.inject('/health/live')).statusCode, 200)
  t.ok(read < many.length, `after ${read} of ${many.length}`)
  t.same(new Set(await Promise.all(many)), new Set([400]))
})
