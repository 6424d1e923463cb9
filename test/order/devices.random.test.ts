import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { addOtherService } from '../fixtures/devices.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { type Random, tryWorlds } from '../fixtures/scope/worlds.js'
import { moveTo, orders, pathOf, patient, type World, world } from '../fixtures/world.js'

/**
 * Random lines about devices of two sellers, random writes to devices, and random searches: the
 * service responds, shows each device to each of its readers, and finds lines, as a small model
 * predicts. Another seller than delivered a device may fetch it.
 */

/** Values of the numbers of devices. Several devices may have the same. */
const values = {
  serialNumber: ['S1', 'S2', 'S3'],
  lotNumber: ['L1', 'L2'],
  udi: ['(01)05712345000017(21)S1', '(01)05712345000024']
} as const
type NumberName = keyof typeof values
const numberNames = Object.keys(values) as NumberName[]

interface Seller {
  url: string
  by: Caller
  item: string
  /** Whether the item is a device model. The other one is a service for any device. */
  hasModel: boolean
}

interface Line {
  url: string
  order: string
  patient: string
  seller: Seller
  action: string
  status: 'DRAFT' | 'SUBMITTED' | 'FULFILLED'
  relatedTo: Line | null
  device:
    | (Record<NumberName, string | null> & {
        endReason: string | null
        /** The reason of the first line that fetched or replaced it. */
        endByLine: string | null
      })
    | null
}

interface Run {
  w: World
  sellers: Seller[]
  random: Random
  lines: Line[]
  saw: (what: string) => void
}

const patients = [patient('p1'), patient('p2')]
const isInUse = (line: Line | null) => line?.device?.endReason === null
const isVisible = ({ w }: Run, by: Caller, { seller, status }: Line) =>
  by === w.nurse || (by === seller.by && status !== 'DRAFT')

/** Adds a line with an order of its own, about a random other line or none. */
async function order({ w, sellers, random, lines, saw }: Run): Promise<void> {
  const [action, of, seller] = [
    random.one(['DELIVER', 'DELIVER', 'PICKUP', 'REPLACE', 'REPAIR']),
    random.one(patients),
    random.one(sellers)
  ]
  const usable = lines.filter((each) => isInUse(each) && each.patient === of)
  const foreign = usable.filter((each) => each.seller !== seller)
  const choices = [lines, usable, foreign, foreign].filter(({ length }) => length > 0)
  const isAbout = action !== 'DELIVER' && choices.length > 0 && random.chance(0.8)
  const relatedTo = isAbout ? random.one(random.one(choices)) : null
  const receiver = { name: 'R', patient: of }
  const line = { item: seller.item, action, relatedTo: relatedTo?.url ?? null }
  const draft = w.draft({ seller: seller.url, receiver, orderLines: [line] })
  const created = await w.nurse.post(`${orders}/order`, draft)
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
  lines.push({ url: own, order: url, patient: of, seller, action, status: 'DRAFT', relatedTo, device: null })
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

/** Fulfils a line or its order, maybe with numbers. */
async function fulfil({ random, lines, saw }: Run): Promise<void> {
  const isSubmitted = ({ status }: Line) => status === 'SUBMITTED'
  const isLate = (line: Line) => isSubmitted(line) && line.relatedTo?.device?.endReason != null
  const fetchesForeign = (line: Line) =>
    isSubmitted(line) && isInUse(line.relatedTo) && line.relatedTo?.seller !== line.seller
  const preferred = random.one([isLate, fetchesForeign, isSubmitted, isSubmitted])
  const line = oneOf(random, lines, preferred) ?? oneOf(random, lines, isSubmitted)
  if (!line) return
  const isModelKnown = line.seller.hasModel || line.relatedTo !== null
  const delivers = isModelKnown && ['DELIVER', 'REPLACE'].includes(line.action)
  const numbers = random.some(numberNames, 0.25).map((name) => [name, random.one(values[name])] as const)
  const write = numbers.map(([name, value]) => ({ op: 'add', path: `/device/${name}`, value }))
  const ofOrder = numbers.length === 0 && random.one([true, false])
  const address = ofOrder ? line.order : line.url
  const response = await line.seller.by.patch(pathOf(address), [...moveTo('FULFILLED'), ...write])
  const isAllowed = delivers || numbers.length === 0
  expect(saw, response, isAllowed ? '204' : `422 no-device /${numbers.length}/value`)
  if (!isAllowed) return
  line.status = 'FULFILLED'
  const none = { serialNumber: null, lotNumber: null, udi: null, endReason: null, endByLine: null }
  if (delivers) line.device = { ...none, ...Object.fromEntries(numbers) }
  const ends = { PICKUP: 'RETURNED', REPLACE: 'REPLACED' }[line.action]
  if (!ends || !line.relatedTo?.device) return
  line.relatedTo.device.endByLine ??= ends
  if (!isInUse(line.relatedTo)) return
  line.relatedTo.device.endReason = ends
  if (line.relatedTo.seller !== line.seller) saw(`${ends} by another seller`)
}

/** Ends the use of a device by hand. */
async function end(run: Run): Promise<void> {
  const { w, random, lines, saw } = run
  const isAwaited = (line: Line) =>
    lines.some(({ relatedTo, status }) => relatedTo === line && status === 'SUBMITTED')
  const isAny = random.chance(0.5)
  const line = oneOf(random, lines, (each) => each.status !== 'DRAFT' && (isAny || isAwaited(each)))
  if (!line) return
  const endReason = random.one(['LOST', 'DISCARDED', 'KEPT'])
  const by = random.one([w.nurse, line.seller.by, w.provider])
  const response = await by.patch(pathOf(line.url), [
    { op: 'add', path: '/device/endReason', value: endReason }
  ])
  const code = !line.device ? '422 no-device /0/value' : isInUse(line) ? '204' : '409 device-ended /0/value'
  expect(saw, response, isVisible(run, by, line) ? code : '404 not-found')
  if (!isVisible(run, by, line)) return
  if (line.device && isInUse(line)) line.device.endReason = endReason
}

/** Takes an end back. */
async function resume({ w, random, lines, saw }: Run): Promise<void> {
  const isFetched = ({ device }: Line) => device?.endByLine != null && device.endReason !== device.endByLine
  const line = oneOf(random, lines, isFetched) ?? oneOf(random, lines, ({ device }) => device !== null)
  if (!line?.device) return
  const byLine = ['RETURNED', 'REPLACED'].includes(line.device.endReason ?? '')
  const response = await w.nurse.patch(pathOf(line.url), [{ op: 'remove', path: '/device/endReason' }])
  expect(saw, response, byLine ? '409 device-ended /0' : '204')
  if (byLine) return
  line.device.endReason = line.device.endByLine
  if (line.device.endByLine) saw('ended by a line after an end by hand')
}

/** Writes a number. */
async function number({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ status }) => status !== 'DRAFT')
  if (!line) return
  const provider = line.seller.by
  const [by, name] = [random.one([provider, provider, w.nurse]), random.one(numberNames)]
  const value = random.one(values[name])
  const isSame = line.device?.[name] === value
  const response = await by.patch(pathOf(line.url), [{ op: 'add', path: `/device/${name}`, value }])
  const isMove = by === w.nurse && !isSame
  expect(
    saw,
    response,
    isMove ? '403 not-your-move /0/value' : line.device ? '204' : '422 no-device /0/value'
  )
  if (by === provider && line.device) line.device[name] = value
}

/** Searches lines by their devices, and by the device that they are about. */
async function search(run: Run): Promise<void> {
  const { w, sellers, random, lines, saw } = run
  const by = random.one([w.nurse, ...sellers.map(({ by }) => by)])
  const related = lines.flatMap(({ relatedTo }) => relatedTo ?? [])
  const about = random.one([...lines, ...related, ...related])
  const filters: Record<string, { value: string; holds: (line: Line) => boolean }> = {
    inUse: oneFilter(random, ['true', 'false'], ({ device }, value) =>
      device === null ? undefined : String(device.endReason === null) === value
    ),
    patient: oneFilter(random, patients, (line, value) => line.patient === value),
    relatedTo: {
      value: about?.url ?? '',
      holds: (line) => about !== undefined && line.relatedTo === about && isVisible(run, by, about)
    },
    ...Object.fromEntries(
      numberNames.map((name) => [
        name,
        oneFilter(random, values[name], ({ device }, value) => device?.[name] === value)
      ])
    )
  }
  const chosen = random.some(Object.entries(filters), 0.3).filter(([, { value }]) => value !== '')
  const query = new URLSearchParams(Object.fromEntries(chosen.map(([name, { value }]) => [name, value])))
  const { body } = await by.get(`${orders}/order-lines?${query}`, 200)
  const found: string[] = idsOf(body)
  for (const line of lines) {
    const wanted = isVisible(run, by, line) && chosen.every(([, { holds }]) => holds(line))
    if (found.includes(idOf(line.url)) !== wanted)
      throw new Error(`${query}: the line is ${wanted ? 'missing' : 'listed'}`)
    if (wanted) for (const [name] of chosen) saw(name)
  }
}

/** A filter with one of some values. */
function oneFilter(
  random: Random,
  choices: readonly string[],
  holds: (line: Line, value: string) => boolean | undefined
) {
  const value = random.one(choices)
  return { value, holds: (line: Line) => holds(line, value) === true }
}

const oneOf = (random: Random, lines: readonly Line[], condition: (line: Line) => boolean) => {
  const found = lines.filter(condition)
  return found.length > 0 ? random.one(found) : undefined
}

function expect(saw: Run['saw'], response: ApiResponse, expected: string): void {
  if (outcome(response) !== expected) throw new Error(`${outcome(response)}, not ${expected}`)
  saw(expected.replace(/ \/.*/, ''))
}

/** Compares each line, as each of its readers sees it, with the model. */
async function compare(run: Run): Promise<void> {
  const { w, sellers, lines, saw } = run
  for (const line of lines)
    for (const by of [w.nurse, ...sellers.map(({ by }) => by)]) {
      const response = await by.get(pathOf(line.url))
      if (!isVisible(run, by, line)) {
        expect(saw, response, '404 not-found')
        continue
      }
      const [found, predicted] = [shown(response.body), predictedFor(run, by, line)].map((each) =>
        JSON.stringify(each)
      )
      if (found !== predicted) throw new Error(`${found}, not ${predicted}`)
      if (line.relatedTo) saw(isVisible(run, by, line.relatedTo) ? 'shown relation' : 'hidden relation')
    }
  for (const by of [w.nurse, ...sellers.map(({ by }) => by)]) {
    const inUse = (await by.get(`${orders}/order-lines?inUse=true`, 200)).body
    const predicted = lines.filter((line) => isInUse(line) && isVisible(run, by, line)).length
    if (inUse.length !== predicted) throw new Error(`${inUse.length} devices in use, not ${predicted}`)
  }
}

const numbersOf = (of: Partial<Record<NumberName, string | null>> | null | undefined) =>
  numberNames.map((name) => of?.[name] ?? null)

const shown = ({ device, relatedTo, relatedDevice }: ApiResponse['body']) => [
  ...[device !== null, ...numbersOf(device), device?.endReason?.code ?? null, device?.until === null],
  ...[relatedTo, relatedDevice !== null, ...numbersOf(relatedDevice)]
]

/** What a reader of a line sees: of the device that it is about all but an order of another seller. */
function predictedFor(run: Run, by: Caller, line: Line) {
  const { device, relatedTo: about } = line
  const relatedTo = about && isVisible(run, by, about) ? about.url : null
  return [
    ...[device !== null, ...numbersOf(device), device?.endReason ?? null, isInUse(line)],
    ...[relatedTo, about !== null, ...numbersOf(about?.device)]
  ]
}

const steps = [
  ...[order, order, order, submit, submit, submit, fulfil, fulfil, fulfil, fulfil],
  ...[end, resume, number, number, search, search, search]
]
const outcomes = [
  ...['201', '204', '403 not-your-move', '404 not-found', '409 device-ended', '422 dangling-reference'],
  ...['422 device-not-in-use', '422 no-device'],
  ...['RETURNED by another seller', 'REPLACED by another seller', 'shown relation', 'hidden relation'],
  'ended by a line after an end by hand',
  // Filters that found something.
  ...['inUse', 'patient', 'relatedTo', ...numberNames]
]

t.test('devices follow the model', async (t) => {
  const app = await testApp(t)
  await tryWorlds(t, 3, outcomes, async (random, saw) => {
    await app.sql`update devices set used_until = used_from, end_reason = 'LOST' where used_until is null`
    const w = await world(app)
    const sellers = [
      { url: w.seller, by: w.provider, item: w.monitor, hasModel: true },
      { url: w.otherSeller, by: w.otherProvider, item: await addOtherService(w), hasModel: false }
    ]
    const run: Run = { w, sellers, random, lines: [], saw }
    for (let step = 0; step < 200; step++) await random.one(steps)(run)
    await compare(run)
  })
})
