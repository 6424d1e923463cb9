import t, { type Test } from 'tap'
import { createSlotTable } from '../../src/platform/concurrency/slot-table.js'
import { createTerminologyServer, type TerminologyServerOptions } from '../../src/terminology/server.js'
import { clockOf } from '../fixtures/clock.js'
import { builtInValueSets, fhirServer } from '../fixtures/fhir/server.js'
import '../fixtures/loopback-only.js'

const fhir = await fhirServer(t)
await fhir.keep(...builtInValueSets())
const question = {
  url: 'https://valuesets.example/vs/device-type',
  system: 'http://snomed.info/sct',
  code: '19892000'
}
const nonsense = { ...question, code: '1' }
const scale = { valid: true, display: 'Scale' }
const [second, minute] = [1000, 60_000]
const circuitOpenMs = 30 * second

async function serverOf(t: Test, options: Partial<TerminologyServerOptions> = {}) {
  const told: string[] = []
  const tell = (...line: unknown[]) => void told.push(JSON.stringify(line))
  const log = { info: tell, warn: tell } as TerminologyServerOptions['log']
  await fhir.behave('well')
  await fhir.forget()
  const server = createTerminologyServer({
    url: fhir.base,
    timeoutMs: 10 * minute,
    circuitOpenMs,
    slots: createSlotTable(1).terminologyRequests,
    log,
    ...options
  })
  t.teardown(() => server.close())
  return {
    told,
    judge: (asked = question, signal = new AbortController().signal) => server.validate(asked, true, signal),
    asked: async () => (await fhir.received()).length
  }
}

const unavailable = { status: 503, code: 'terminology-unavailable' }

t.test('logs an outage once and clears it on recovery', async (t) => {
  const clock = clockOf(t)
  const { judge, told } = await serverOf(t)
  const elsewhere = { ...question, url: 'https://valuesets.example/vs/unheard-of' }
  for (let at = 0; at < 3; at++)
    await t.rejects(judge(elsewhere), { ...unavailable, headers: { 'retry-after': '60' } })
  t.equal(told.length, 1, 'once, however often it happens')
  t.match(told[0], /cannot validate a code/)
  t.match(told[0], /does not have the value set https:\/\/valuesets\.example\/vs\/unheard-of/)
  await fhir.behave({ status: 500 })
  for (let at = 0; at < 6; at++) await t.rejects(judge(), unavailable)
  t.equal(told.length, 1, 'an odd response is not a missing value set')
  await fhir.behave({ status: 503 })
  for (let at = 0; at < 6; at++) await t.rejects(judge(), unavailable)
  t.match(told[1], /does not respond/)
  clock.pass(circuitOpenMs)
  await fhir.behave('well')
  t.same(await judge(), scale)
  t.match(told[2], /responds again/)
  t.equal(told.length, 3)
})

t.test('each caller waits only until its own deadline', async (t) => {
  const { judge, asked } = await serverOf(t)
  await fhir.behave('held')
  const hasty = new AbortController()
  const [given, kept] = [judge(question, hasty.signal), judge()]
  await fhir.reached(2)
  hasty.abort()
  await t.rejects(given, { ...unavailable, headers: { 'retry-after': /^[1-9]\d*$/ } })
  await t.rejects(judge(nonsense, hasty.signal), unavailable, 'nothing is asked after it')
  await fhir.behave('well')
  t.same(await kept, scale)
  t.equal(await asked(), 2)
})

t.test('a bug is not reported as an outage', async (t) => {
  const { judge } = await serverOf(t)
  const bug = { ...question, code: 1n as unknown as string }
  await t.rejects(judge(bug), TypeError)
  const lost = await serverOf(t, { url: 'nowhere' })
  await t.rejects(lost.judge(), { code: 'ERR_INVALID_URL' })
  t.same(lost.told, [])
})
