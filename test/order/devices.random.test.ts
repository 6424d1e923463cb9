import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { outcome } from '../fixtures/routes/refusal.js'
import type { Random } from '../fixtures/scope/random.js'
import { tryWorlds } from '../fixtures/scope/worlds.js'
import { moveTo, orders, pathOf, patient, type World, world } from '../fixtures/world.js'

/**
 * Random lines about devices, and random writes to devices: the service responds, and shows each
 * device, as a small model predicts.
 */

interface Line {
  url: string
  order: string
  patient: string
  action: string
  status: 'DRAFT' | 'SUBMITTED' | 'FULFILLED'
  relatedTo: Line | null
  device: { serialNumber: string | null; endReason: string | null } | null
}

interface Run {
  w: World
  random: Random
  lines: Line[]
  saw: (what: string) => void
}

const patients = [patient('p1'), patient('p2')]
const isInUse = (line: Line | null) => line?.device?.endReason === null

/** Adds a line with an order of its own, about a random other line or none. */
async function order({ w, random, lines, saw }: Run): Promise<void> {
  const [action, of] = [
    random.one(['DELIVER', 'DELIVER', 'PICKUP', 'REPLACE', 'REPAIR']),
    random.one(patients)
  ]
  const relatedTo = action === 'DELIVER' ? null : random.one([null, ...lines])
  const receiver = { name: 'R', patient: of }
  const line = { item: w.monitor, action, relatedTo: relatedTo?.url ?? null }
  const created = await w.nurse.post(`${orders}/order`, w.draft({ receiver, orderLines: [line] }))
  const refused =
    relatedTo === null
      ? '201'
      : relatedTo.patient !== of
        ? '422 dangling-reference /orderLines/0/relatedTo'
        : isInUse(relatedTo)
          ? '201'
          : '422 device-not-in-use /orderLines/0/relatedTo'
  expect(saw, created, refused)
  if (created.status !== 201) return
  const url = created.headers.location ?? ''
  const [{ id }] = (await w.nurse.get(`${orders}/order-lines?order=${encodeURIComponent(url)}`, 200)).body
  const own = `${url.slice(0, url.lastIndexOf('/order/'))}/order-line/${id}`
  lines.push({ url: own, order: url, patient: of, action, status: 'DRAFT', relatedTo, device: null })
}

/** Submits a draft: its device must still be in use. */
async function submit({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ status }) => status === 'DRAFT')
  if (!line) return
  const isAllowed = line.relatedTo === null || isInUse(line.relatedTo)
  const response = await w.nurse.patch(pathOf(line.order), moveTo('SUBMITTED'))
  expect(saw, response, isAllowed ? '204' : '422 device-not-in-use /0/value')
  if (isAllowed) line.status = 'SUBMITTED'
}

/** Fulfils a line or its order, maybe with a number. */
async function fulfil({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ status }) => status === 'SUBMITTED')
  if (!line) return
  const delivers = line.action === 'DELIVER' || line.action === 'REPLACE'
  const serialNumber = random.one([null, null, 'S1'])
  const write =
    serialNumber === null ? [] : [{ op: 'add', path: '/device/serialNumber', value: serialNumber }]
  const ofOrder = serialNumber === null && random.one([true, false])
  const address = ofOrder ? line.order : line.url
  const response = await w.provider.patch(pathOf(address), [...moveTo('FULFILLED'), ...write])
  const isAllowed = delivers || serialNumber === null
  expect(saw, response, isAllowed ? '204' : '422 no-device /1/value')
  if (!isAllowed) return
  line.status = 'FULFILLED'
  if (delivers) line.device = { serialNumber, endReason: null }
  const ends = { PICKUP: 'RETURNED', REPLACE: 'REPLACED' }[line.action]
  if (ends && line.relatedTo?.device && isInUse(line.relatedTo)) line.relatedTo.device.endReason = ends
}

/** Ends the use of a device by hand. */
async function end({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ status }) => status !== 'DRAFT')
  if (!line) return
  const endReason = random.one(['LOST', 'DISCARDED', 'KEPT'])
  const by = random.one([w.nurse, w.provider])
  const response = await by.patch(pathOf(line.url), [
    { op: 'add', path: '/device/endReason', value: endReason }
  ])
  const code = !line.device ? '422 no-device /0/value' : isInUse(line) ? '204' : '409 device-ended /0/value'
  expect(saw, response, code)
  if (line.device && isInUse(line)) line.device.endReason = endReason
}

/** Takes an end back. */
async function resume({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ device }) => device !== null)
  if (!line?.device) return
  const byLine = ['RETURNED', 'REPLACED'].includes(line.device.endReason ?? '')
  const response = await w.nurse.patch(pathOf(line.url), [{ op: 'remove', path: '/device/endReason' }])
  expect(saw, response, byLine ? '409 device-ended /0' : '204')
  if (!byLine) line.device.endReason = null
}

/** Writes a number. */
async function number({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ status }) => status !== 'DRAFT')
  if (!line) return
  const [by, serialNumber] = [random.one([w.provider, w.provider, w.nurse]), random.one(['S2', 'S3'])]
  const isSame = line.device?.serialNumber === serialNumber
  const response = await by.patch(pathOf(line.url), [
    { op: 'add', path: '/device/serialNumber', value: serialNumber }
  ])
  const isMove = by === w.nurse && !isSame
  expect(
    saw,
    response,
    isMove ? '403 not-your-move /0/value' : line.device ? '204' : '422 no-device /0/value'
  )
  if (by === w.provider && line.device) line.device.serialNumber = serialNumber
}

const oneOf = (random: Random, lines: readonly Line[], condition: (line: Line) => boolean) => {
  const found = lines.filter(condition)
  return found.length > 0 ? random.one(found) : undefined
}

function expect(saw: Run['saw'], response: ApiResponse, expected: string): void {
  if (outcome(response) !== expected) throw new Error(`${outcome(response)}, not ${expected}`)
  saw(expected.replace(/ \/.*/, ''))
}

/** Compares each line with the model. */
async function compare({ w, lines }: Run): Promise<void> {
  for (const line of lines) {
    const { device, relatedTo, relatedDevice } = (await w.nurse.get(pathOf(line.url), 200)).body
    const shown = device && { serialNumber: device.serialNumber, endReason: device.endReason?.code ?? null }
    const related = relatedDevice?.serialNumber ?? null
    const found = JSON.stringify([shown, device?.until === null, relatedTo, related])
    const { relatedTo: about } = line
    const predicted = [line.device, isInUse(line), about?.url ?? null, about?.device?.serialNumber ?? null]
    if (found !== JSON.stringify(predicted)) throw new Error(`${found}, not ${JSON.stringify(predicted)}`)
  }
  const inUse = (await w.nurse.get(`${orders}/order-lines?inUse=true`, 200)).body
  const [found, predicted] = [inUse.length, lines.filter(isInUse).length]
  if (found !== predicted) throw new Error(`${found} devices in use, not ${predicted}`)
}

const steps = [order, order, order, submit, submit, fulfil, fulfil, fulfil, end, resume, number, number]
const outcomes = [
  ...['201', '204', '403 not-your-move', '409 device-ended', '422 dangling-reference'],
  ...['422 device-not-in-use', '422 no-device']
]

const appOf = async (isDistributed: boolean): Promise<TestApp> => {
  const test = await testApp(t)
  test.app.isDistributed = isDistributed
  return test
}

for (const isDistributed of [false, true])
  t.test(`devices follow the model, ${isDistributed ? 'distributed' : 'in one database'}`, async (t) => {
    const app = await appOf(isDistributed)
    await tryWorlds(t, 3, outcomes, async (random, saw) => {
      await app.sql`update devices set used_until = used_from, end_reason = 'LOST' where used_until is null`
      const w = await world(app)
      const run: Run = { w, random, lines: [], saw }
      for (let step = 0; step < 150; step++) await random.one(steps)(run)
      await compare(run)
    })
  })
