import t from 'tap'
import { cloneDatabase, testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { deliverLine, lineTrace, submittedLine } from '../fixtures/devices.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { add, organization, pathOf, transitionTo, type World, world } from '../fixtures/world.js'

const fulfil = transitionTo('FULFILLED')

const lineAbout = (w: World, line: string, action: string) => submittedLine(w, { action, relatedTo: line })

async function tracesOf(w: World, lines: readonly string[], wanted: string) {
  const traces = await Promise.all(lines.map((line) => lineTrace(w.nurse, line)))
  const found = traces.flat().filter(({ code }) => code === wanted)
  return found.map(({ supplementaryText }) => String(supplementaryText))
}
const endsIn = (w: World, lines: readonly string[]) => tracesOf(w, lines, 'device-use-ended')

/** A world, and its provider at a second instance of the program. */
async function instances(): Promise<{ w: World; elsewhere: Caller; differences: () => Promise<unknown[]> }> {
  const url = await cloneDatabase(t)
  const [one, other] = [await testApp(t, {}, async () => url), await testApp(t, {}, async () => url)]
  const differences = () => differencesIn(one.sql)
  return { w: await world(one), elsewhere: other.as('Provider', organization('provider')), differences }
}

t.test('one of many lines fulfilled at once ends a device', async (t) => {
  const { w, elsewhere, differences } = await instances()
  for (let round = 0; round < 5; round++) {
    const line = await deliverLine(w)
    const actions = ['PICKUP', 'REPLACE', 'PICKUP', 'REPLACE']
    const about = await Promise.all(actions.map((action) => lineAbout(w, line, action)))
    await Promise.all(
      about.map((each, at) => (at < 2 ? w.provider : elsewhere).patch(pathOf(each), fulfil, 204))
    )
    const ends = await endsIn(w, about)
    const { device } = (await w.nurse.get(pathOf(line), 200)).body
    t.same(ends, [`Reason: ${device.endReason.code}.`])
    for (const [at, each] of about.entries()) {
      const { body } = await w.nurse.get(pathOf(each), 200)
      t.equal(body.device === null, actions[at] === 'PICKUP')
    }
  }
  t.same(await differences(), [])
})

t.test('either an end by hand or a concurrent pick-up takes effect', async (t) => {
  const { w, elsewhere, differences } = await instances()
  for (let round = 0; round < 10; round++) {
    const line = await deliverLine(w)
    const pickup = await lineAbout(w, line, 'PICKUP')
    const [byHand] = await Promise.all([
      w.nurse.patch(pathOf(line), [add('/device/endReason', 'LOST')]),
      w.provider.patch(pathOf(line), [add('/device/udi', 'U')], 204),
      elsewhere.patch(pathOf(pickup), fulfil, 204)
    ])
    const { device } = (await w.nurse.get(pathOf(line), 200)).body
    t.equal(device.udi, 'U', 'numbers that are written meanwhile stay')
    t.same(await endsIn(w, [line, pickup]), [`Reason: ${device.endReason.code}.`])
    t.equal(outcome(byHand), device.endReason.code === 'LOST' ? '204' : '409 device-ended /0/value')
  }
  t.same(await differences(), [])
})

t.test('ends a device whose end by hand is removed while it is fetched', async (t) => {
  const { w, elsewhere, differences } = await instances()
  for (let round = 0; round < 10; round++) {
    const line = await deliverLine(w)
    const pickup = await lineAbout(w, line, 'PICKUP')
    await w.nurse.patch(pathOf(line), [add('/device/endReason', 'LOST')], 204)
    await Promise.all([
      w.nurse.patch(pathOf(line), [{ op: 'remove', path: '/device/endReason' }], 204),
      elsewhere.patch(pathOf(pickup), fulfil, 204)
    ])
    const { device } = (await w.nurse.get(pathOf(line), 200)).body
    t.equal(device.endReason?.code, 'RETURNED')
  }
  t.same(await differences(), [])
})

t.test('a mistake leaves one end if a pick-up and an end by hand are concurrent', async (t) => {
  const { w, elsewhere, differences } = await instances()
  const mistake = [add('/device/endReason', 'ENTERED_IN_ERROR')]
  for (let round = 0; round < 10; round++) {
    const line = await deliverLine(w)
    const [replacement, pickup] = [await lineAbout(w, line, 'REPLACE'), await lineAbout(w, line, 'PICKUP')]
    await w.provider.patch(pathOf(replacement), fulfil, 204)
    const [byHand] = await Promise.all([
      w.nurse.patch(pathOf(line), [add('/device/endReason', 'LOST')]),
      w.provider.patch(pathOf(replacement), mistake),
      w.provider.patch(pathOf(replacement), [{ op: 'remove', path: '/relatedDevice/endReason' }]),
      elsewhere.patch(pathOf(pickup), fulfil, 204),
      elsewhere.patch(pathOf(replacement), mistake)
    ])
    t.equal(outcome(byHand), byHand.status === 204 ? '204' : '409 device-ended /0/value')
    const lines = [line, replacement, pickup]
    const ends = await endsIn(w, lines)
    const { device } = (await w.nurse.get(pathOf(line), 200)).body
    const mistakes = ends.filter((reason) => reason.includes('ENTERED_IN_ERROR'))
    t.equal(mistakes.length, 1, 'the mistake is recorded once')
    const others = ends.filter((reason) => !mistakes.includes(reason) && reason !== 'Reason: REPLACED.')
    t.same(others, device.endReason ? [`Reason: ${device.endReason.code}.`] : [])
    const resumed = await tracesOf(w, lines, 'device-use-resumed')
    t.same(resumed, ['Removed reason: REPLACED.'], 'its end is taken back once')
  }
  t.same(await differences(), [])
})
