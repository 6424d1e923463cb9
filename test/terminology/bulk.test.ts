import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { clockOf } from '../fixtures/clock.js'
import { builtInValueSets, fhirServer } from '../fixtures/fhir/server.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { until } from '../fixtures/waiting.js'
import { catalogue, deviceModel, organization } from '../fixtures/world.js'

/** One request that validates thousands of codes, and concurrent requests. */

const fhir = await fhirServer(t)
await fhir.keep(...builtInValueSets())
const REQUEST_TIMEOUT = 240_000
const { app, w } = await testWorld(t, { TERMINOLOGY_URL: fhir.base, REQUEST_TIMEOUT: `${REQUEST_TIMEOUT}` })
const { clerk, buyer, monitor } = w

let codes = 0
const unknown = () => ({ system: 'http://snomed.info/sct', code: `unknown-${++codes}` })
const annotation = (value: object) => ({ buyer, name: 'ehealth/device-type', value })
const annotate = (value: object) =>
  clerk.post(`${catalogue}/annotation`, { ...annotation(value), catalogueItem: monitor })
/** A bulk create with `count` annotations, each with a code that is not cached. */
const create = (annotations: number) =>
  clerk.post(
    `${catalogue}/catalogue-items`,
    Array.from({ length: annotations / 10 }, () =>
      deviceModel(w.catalogue, { annotations: Array.from({ length: 10 }, () => annotation(unknown())) })
    )
  )
const asked = async () => (await fhir.received()).length

t.test('a bulk creation leaves slots to other requests and writes nothing when it fails', async (t) => {
  const clock = clockOf(t)
  await fhir.behave({ delay: 75 })
  await fhir.forget()
  await writingNothing(t, app.sql, async () => {
    let isDone = false
    const creating = create(5000).finally(() => {
      isDone = true
    })
    await fhir.reached(1)
    for (let at = 0; at < 5; at++) {
      await fhir.behave('held')
      const value = unknown()
      const annotating = annotate(value)
      const isAsked = async () => (await fhir.received()).some(({ body }) => body.includes(`"${value.code}"`))
      await until(isAsked)
      await fhir.behave({ delay: 75 })
      t.equal(outcome(await annotating), '422 unknown-coding /value')
    }
    t.notOk(isDone)
    clock.pass((REQUEST_TIMEOUT * 2) / 3)
    t.equal(outcome(await creating), '503 terminology-unavailable')
  })
  t.ok(Math.max(...(await fhir.received()).map(({ underWay }) => underWay)) <= 5)
  await fhir.settled()
  await fhir.forget()
  // Requests are sent in sequence. Requests that no caller waits for would be sent before this
  // request.
  t.equal(outcome(await annotate(unknown())), '422 unknown-coding /value')
  t.equal(await asked(), 1, 'no request without a waiter')
})

t.test('after the first failed validation the server requests no further ones', async (t) => {
  for (const body of [undefined, {}]) {
    await fhir.behave('held', { after: 4 })
    await fhir.forget()
    const creating = create(500)
    await fhir.reached(8)
    // One unusable response.
    await fhir.behave({ status: 400, body }, { times: 1 })
    t.equal(outcome(await creating), '503 terminology-unavailable')
    await fhir.settled()
    t.ok((await asked()) < 100, `${await asked()} of 500`)
  }
})

t.test('a caller whose codes wait leaves slots of the terminology server to other callers', async (t) => {
  await fhir.behave('held')
  await fhir.forget()
  const other = app.as('AdministrativeClerk', organization('region'), { name: 'other' })
  const waiting = Array.from({ length: 12 }, () => annotate(unknown()))
  await fhir.reached(8)
  const value = unknown()
  waiting.push(other.post(`${catalogue}/annotation`, { ...annotation(value), catalogueItem: monitor }))
  await fhir.reached(9)
  const [ofOther, ...further] = (await fhir.received()).slice(8)
  t.ok(ofOther?.body.includes(`"${value.code}"`))
  t.same(further, [])
  await fhir.behave('well')
  for (const response of await Promise.all(waiting)) t.equal(outcome(response), '422 unknown-coding /value')
})
