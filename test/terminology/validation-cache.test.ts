import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  type CodeQuery,
  type CodeValidation,
  InconclusiveValidation
} from '../../src/terminology/code-validation.js'
import { cacheValidations } from '../../src/terminology/validation-cache.js'

const hour = 3_600_000
const question = (code: string): CodeQuery => ({ url: 'https://vs', system: 'https://s', code })
const [legal, illegal]: CodeValidation[] = [
  { valid: true, display: 'd' },
  { valid: false, display: null }
]

/** A validation cache on a server that the test controls, and a fake clock. */
function memoryByHand(t: Test) {
  const state = { later: 0, asked: 0, response: async (): Promise<CodeValidation | undefined> => legal }
  const now = performance.now.bind(performance)
  const start = now()
  t.intercept(performance, 'now', { value: () => start + state.later })
  const judge = cacheValidations(async () => {
    state.asked++
    return (await state.response()) as CodeValidation
  })
  const ask = async (code: string, later: number) => {
    state.later = later
    // lru-cache reads the clock at most once a millisecond.
    await pause(3)
    const before = state.asked
    const told = await judge(question(code), false, new AbortController().signal).then(
      (validation) => (validation.valid ? 'legal' : 'illegal'),
      (cause: Error) => cause.name
    )
    return `${told}${state.asked > before ? ', asked' : ''}`
  }
  return { state, ask }
}

const away = () => Promise.reject(new InconclusiveValidation('away'))

t.test('a valid code is validated again after an hour', async (t) => {
  const { ask } = memoryByHand(t)
  t.equal(await ask('a', 0), 'legal, asked')
  t.equal(await ask('a', hour - 1), 'legal')
  t.equal(await ask('a', hour), 'legal, asked')
  t.equal(await ask('a', 2 * hour - 1), 'legal', 'an hour counts from the last response')
  t.equal(await ask('b', 2 * hour - 1), 'legal, asked')
})

t.test('a valid code stays valid for another 24 hours during an outage', async (t) => {
  const { state, ask } = memoryByHand(t)
  await ask('a', 0)
  state.response = away
  t.equal(await ask('a', hour), 'legal, asked')
  t.equal(await ask('a', 25 * hour - 1), 'legal, asked')
  t.equal(await ask('a', 25 * hour + 1), 'InconclusiveValidation, asked')
})

t.test('an error of another kind is not treated as an outage', async (t) => {
  const { state, ask } = memoryByHand(t)
  await ask('a', 0)
  state.response = () => Promise.reject(new TypeError('bug'))
  t.equal(await ask('a', hour), 'TypeError, asked')
})

t.test('an invalid code is validated each time, and loses its earlier validity', async (t) => {
  const { state, ask } = memoryByHand(t)
  await ask('a', 0)
  state.response = async () => illegal
  t.equal(await ask('a', hour), 'illegal, asked')
  t.equal(await ask('a', hour), 'illegal, asked')
  state.response = away
  t.equal(await ask('a', hour), 'InconclusiveValidation, asked')
  state.response = async () => legal
  t.equal(await ask('a', hour), 'legal, asked')
  t.equal(await ask('a', hour), 'legal')
})
