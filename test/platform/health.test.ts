import { setImmediate as settled } from 'node:timers/promises'
import Fastify from 'fastify'
import t from 'tap'
import { type DependencyState, health } from '../../src/platform/server/health.js'
import { scrape } from '../fixtures/telemetry.js'

t.test('reading the metrics checks a dependency, with at most one request in flight', async (t) => {
  const questions: ((response: Promise<DependencyState>) => void)[] = []
  const state = () => new Promise<DependencyState>((resolve) => questions.push(resolve))
  const app = Fastify()
  const version = { version: '1', commit: 'c', node: 'n' }
  await app.register(health, { version, dependencies: { test: { state, isVital: true } } })
  // Earlier test files of the process leave states of dependencies with other names.
  const observed = async () =>
    /^ssl_dependency_available\{dependency="test"\} (\d)$/m.exec(await scrape())?.[1]
  const respond = async (response: Promise<DependencyState>) => {
    questions.at(-1)?.(response)
    await settled()
  }

  for (let read = 0; read < 3; read++) t.equal(await observed(), undefined, 'not known yet')
  t.equal(questions.length, 1)
  await respond(Promise.resolve('ok'))
  t.equal(await observed(), '1')
  t.equal(questions.length, 2)
  await respond(Promise.reject(new Error('away')))
  t.equal(await observed(), '0')
  await respond(Promise.resolve('ok'))
  t.equal(await observed(), '1')
  await app.close()
  await respond(Promise.resolve('ok'))
})
