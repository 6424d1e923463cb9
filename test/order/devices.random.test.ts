import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { addOtherService } from '../fixtures/devices.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { type Random, runWorlds } from '../fixtures/scope/worlds.js'
import { catalogue, orders, pathOf, patient, transitionTo, type World, world } from '../fixtures/world.js'

/**
 * Random lines about devices of two sellers, random writes to devices, and random searches: the
 * service responds, shows each device to each of its readers, and finds lines, as a small model
 * predicts. A seller that did not deliver a device may fetch it. Sellers deliver other models than
 * ordered, report when and to whom, report mistakes and take ends back.
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
  /** Whether the item is a device model. Otherwise the item is a service for any device. */
  hasModel: boolean
  /** A device model of the seller that the buyer cannot order. */
  otherModel: string
}

interface Line {
  url: string
  order: string
  patient: string
  seller: Seller
  action: string
  status: 'DRAFT' | 'SUBMITTED' | 'FULFILLED'
  submitted: string
  performedAt: string | null
  receivedBy: string | null
  relatedTo: Line | null
  /** Whether the seller took back the end that the line made. */
  tookEndBack: boolean
  device:
    | (Record<NumberName, string | null> & {
        item: string
        endReason: string | null
        /** The first line that fetched or replaced it. */
        endedBy: Line | null
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
const mistake = 'ENTERED_IN_ERROR'
const endReasons = ['LOST', 'DISCARDED', 'KEPT', mistake]
const reasonOf = (line: Line | null) =>
  (line && { PICKUP: 'RETURNED', REPLACE: 'REPLACED' }[line.action]) ?? null
/**
 * The end reason that the line set on its related device; null if the line did not end the device,
 * or if a user set the reason.
 */
const reasonBy = (line: Line) => {
  const { endedBy = null, endReason = null } = line.relatedTo?.device ?? {}
  return endedBy === line && !endReasons.includes(endReason ?? '') ? endReason : null
}
const isVisible = ({ w }: Run, by: Caller, { seller, status }: Line) =>
  by === w.nurse || (by === seller.by && status !== 'DRAFT')

/** Adds a line in a separate order, about a random other line or about no line. */
async function order({ w, sellers, random, lines, saw }: Run): Promise<void> {
  const [action, of, seller] = [
    random.one(['DELIVER', 'DELIVER', 'PICKUP', 'PICKUP', 'REPLACE', 'REPLACE', 'REPLACE', 'REPAIR']),
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
        : !isInUse(relatedTo)
          ? '422 device-not-in-use /orderLines/0/relatedTo'
          : seller.hasModel && action !== 'REPLACE' && relatedTo.device?.item !== seller.item
            ? '422 unrelated-item /orderLines/0/relatedTo'
            : '201'
  expect(saw, created, refused)
  if (created.status !== 201) return
  const url = created.headers.location ?? ''
  const [{ id }] = (await w.nurse.get(`${orders}/order-lines?order=${encodeURIComponent(url)}`, 200)).body
  const own = `${url.slice(0, url.lastIndexOf('/order/'))}/order-line/${id}`
  const none = { submitted: '', performedAt: null, receivedBy: null, tookEndBack: false, device: null }
  lines.push({ url: own, order: url, patient: of, seller, action, status: 'DRAFT', relatedTo, ...none })
}

/** Submits a draft: its device must still be in use. */
async function submit({ w, random, lines, saw }: Run): Promise<void> {
  const line = oneOf(random, lines, ({ status }) => status === 'DRAFT')
  if (!line) return
  const isAllowed = line.relatedTo === null || isInUse(line.relatedTo)
  const response = await w.nurse.patch(pathOf(line.order), transitionTo('SUBMITTED'))
  expect(saw, response, isAllowed ? '204' : '422 device-not-in-use /0/value')
  if (!isAllowed) return
  line.status = 'SUBMITTED'
  line.submitted = (await w.nurse.get(pathOf(line.order), 200)).body.submitted
}

/** Fulfils a line or its order, possibly with numbers, another model, the time and the receiver. */
async function fulfil({ sellers, random, lines, saw }: Run): Promise<void> {
  const isSubmitted = ({ status }: Line) => status === 'SUBMITTED'
  const isLate = (line: Line) => isSubmitted(line) && line.relatedTo?.device?.endReason != null
  const fetchesForeign = (line: Line) =>
    isSubmitted(line) && isInUse(line.relatedTo) && line.relatedTo?.seller !== line.seller
  const preferred = random.one([isLate, fetchesForeign, fetchesForeign, isSubmitted])
  const line = oneOf(random, lines, preferred) ?? oneOf(random, lines, isSubmitted)
  if (!line) return
  const { seller, submitted, relatedTo } = line
  const model = random.chance(0.3) ? random.one(sellers).otherModel : undefined
  const item = model ?? (seller.hasModel ? seller.item : relatedTo?.device?.item)
  const delivers = item !== undefined && ['DELIVER', 'REPLACE'].includes(line.action)
  const numbers = random.some(numberNames, 0.25).map((name) => [name, random.one(values[name])] as const)
  const shifted = (ms: number) => new Date(new Date(submitted).getTime() + ms).toISOString()
  const [performedAt, receivedBy] = random.chance(0.3)
    ? [random.one([submitted, submitted, shifted(-1), shifted(3_600_000)]), random.one(['Ida', null])]
    : [null, null]
  const add = (path: string, value: unknown) => ({ op: 'add', path, value })
  const device = numbers.map(([name, value]) => add(`/device/${name}`, value))
  if (model) device.push(add('/device/item', model))
  const report = performedAt ? [add('/performedAt', performedAt), add('/receivedBy', receivedBy)] : []
  const ofOrder = device.length + report.length === 0 && random.one([true, false])
  const patch = [...transitionTo('FULFILLED'), ...report, ...device]
  const response = await seller.by.patch(pathOf(ofOrder ? line.order : line.url), patch)
  const code =
    performedAt && performedAt !== submitted
      ? '422 invalid-period /1/value'
      : model && model !== seller.otherModel
        ? `422 dangling-reference /${patch.length - 1}/value`
        : delivers || device.length === 0
          ? '204'
          : `422 no-device /${patch.length - 1}/value`
  expect(saw, response, code)
  if (code !== '204') return
  Object.assign(line, { status: 'FULFILLED', performedAt, receivedBy })
  const none = { serialNumber: null, lotNumber: null, udi: null, endReason: null, endedBy: null }
  if (delivers) line.device = { ...none, item, ...Object.fromEntries(numbers) }
  if (relatedTo && isInUse(relatedTo) && relatedTo.seller !== seller && reasonOf(line))
    saw(`${reasonOf(line)} by another seller`)
  endRelated(line)
}

/** A fulfilled pick-up or replacement ends the device that it is about, unless another line did. */
function endRelated(line: Line): void {
  const device = line.relatedTo?.device
  if (!device || device.endedBy !== null || reasonOf(line) === null) return
  device.endedBy = line
  device.endReason ??= reasonOf(line)
}

/** Undoes the end that a line caused. */
function resumeRelated(line: Line): void {
  const device = line.relatedTo?.device
  if (!device || device.endedBy !== line) return
  if (reasonBy(line) !== null) device.endReason = null
  device.endedBy = null
}

/** Removes the end that a line made of its related device. */
async function takeBack({ w, random, lines, saw }: Run): Promise<void> {
  const isClosed = (line: Line) => line.status === 'FULFILLED' && line.relatedTo !== null
  const line = oneOf(random, lines, (each) => reasonBy(each) !== null) ?? oneOf(random, lines, isClosed)
  if (!line?.relatedTo) return
  const by = random.one([line.seller.by, line.seller.by, w.nurse])
  const response = await by.patch(pathOf(line.url), [{ op: 'remove', path: '/relatedDevice/endReason' }])
  const isAllowed = isInUse(line.relatedTo) || reasonBy(line) !== null
  const code = by === w.nurse ? '403 not-your-move /0' : isAllowed ? '204' : '409 device-ended /0'
  expect(saw, response, code)
  if (code !== '204' || reasonBy(line) === null) return
  saw(`${reasonBy(line)} taken back`)
  resumeRelated(line)
  line.tookEndBack = true
}

/** Ends the use of a device by hand. */
async function end(run: Run): Promise<void> {
  const { w, random, lines, saw } = run
  const isAwaited = (line: Line) =>
    lines.some(({ relatedTo, status }) => relatedTo === line && status === 'SUBMITTED')
  const isAny = random.chance(0.5)
  const hasReplaced = (line: Line) => isInUse(line) && reasonBy(line) !== null
  const line =
    oneOf(random, isAny ? lines : [], hasReplaced) ??
    oneOf(random, lines, (each) => each.status !== 'DRAFT' && (isAny || isAwaited(each)))
  if (!line) return
  const endReason = random.one([...endReasons, mistake])
  const by = random.one([w.nurse, line.seller.by, w.provider])
  const response = await by.patch(pathOf(line.url), [
    { op: 'add', path: '/device/endReason', value: endReason }
  ])
  const code = !line.device
    ? '422 no-device /0/value'
    : by === w.nurse && endReason === mistake
      ? '403 not-your-move /0/value'
      : isInUse(line)
        ? '204'
        : '409 device-ended /0/value'
  expect(saw, response, isVisible(run, by, line) ? code : '404 not-found')
  if (!isVisible(run, by, line) || !line.device || code !== '204') return
  line.device.endReason = endReason
  if (endReason !== mistake) return
  if (reasonBy(line)) saw('another device in use again')
  resumeRelated(line)
}

/** Takes an end back. */
async function resume({ w, random, lines, saw }: Run): Promise<void> {
  const isFetched = ({ device }: Line) =>
    device?.endedBy != null && endReasons.includes(device.endReason ?? '')
  const isMistake = (line: Line) => line.device?.endReason === mistake && line.action === 'REPLACE'
  const isAny = ({ device }: Line) => device !== null
  const line = oneOf(random, lines, random.one([isFetched, isMistake])) ?? oneOf(random, lines, isAny)
  if (!line?.device) return
  const byLine = ['RETURNED', 'REPLACED'].includes(line.device.endReason ?? '')
  const response = await w.nurse.patch(pathOf(line.url), [{ op: 'remove', path: '/device/endReason' }])
  expect(saw, response, byLine ? '409 device-ended /0' : '204')
  if (byLine) return
  const wasMistake = line.device.endReason === mistake
  line.device.endReason = reasonOf(line.device.endedBy)
  if (line.device.endedBy) saw('ended by a line after an end by hand')
  if (!wasMistake || line.tookEndBack) return
  endRelated(line)
  if (reasonBy(line)) saw('another device replaced again')
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
    endReason: oneFilter(
      random,
      ['LOST', ...lines.flatMap(({ device }) => device?.endReason ?? [])],
      ({ device }, value) => device?.endReason === value
    ),
    deviceItem: oneFilter(
      random,
      sellers.flatMap(({ item, otherModel }) => [item, otherModel]),
      ({ device }, value) => device?.item === value
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
  const isOfDevice = (name: string) => name !== 'patient' && name !== 'relatedTo'
  const names = Object.keys(filters)
  // Few lines match several filters.
  const one = random.chance(0.6) && random.one(['relatedTo', ...names])
  const some = one ? [one] : random.some(names, 0.25)
  const chosen = Object.entries(filters).filter(([name, { value }]) => some.includes(name) && value !== '')
  const hidesMistakes =
    chosen.some(([name]) => isOfDevice(name)) && !chosen.some(([name]) => name === 'endReason')
  const query = new URLSearchParams(Object.fromEntries(chosen.map(([name, { value }]) => [name, value])))
  const { body } = await by.get(`${orders}/order-lines?${query}`, 200)
  const found: string[] = idsOf(body)
  for (const line of lines) {
    const isHidden = hidesMistakes && line.device?.endReason === mistake
    const wanted = isVisible(run, by, line) && !isHidden && chosen.every(([, { holds }]) => holds(line))
    if (found.includes(idOf(line.url)) !== wanted)
      throw new Error(`${query}: the line is ${wanted ? 'missing' : 'listed'}`)
    if (wanted) for (const [name] of chosen) saw(name)
  }
}

/** A filter with a random one of these values. */
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
      const fault = timesFault(line, response.body.device)
      if (fault) throw new Error(fault)
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

const shown = ({ device, relatedTo, relatedDevice, performedAt, receivedBy }: ApiResponse['body']) => [
  ...[device?.item ?? null, ...numbersOf(device), device?.endReason?.code ?? null, device?.until === null],
  ...[relatedTo, relatedDevice !== null, ...numbersOf(relatedDevice), relatedDevice?.endReason?.code ?? null],
  ...[performedAt, receivedBy, device?.isOrderable ?? null]
]

/**
 * The members that a reader of a line sees. A reader does not see another seller's order of the
 * related device.
 */
function predictedFor(run: Run, by: Caller, line: Line) {
  const { device, relatedTo: about, performedAt, receivedBy } = line
  const relatedTo = about && isVisible(run, by, about) ? about.url : null
  const isForbidden = by === run.w.nurse && run.sellers.some(({ otherModel }) => otherModel === device?.item)
  const isOther = isForbidden && !isOrdered(line)
  return [
    ...[device?.item ?? null, ...numbersOf(device), device?.endReason ?? null, isInUse(line)],
    ...[relatedTo, about !== null, ...numbersOf(about?.device), reasonBy(line)],
    ...[performedAt, receivedBy, isOther ? false : null]
  ]
}

/** Whether a service was ordered, so that a replacement has the model of the replaced device. */
const isOrdered = ({ seller, device, relatedTo }: Line) =>
  !seller.hasModel && relatedTo?.device?.item === device?.item

/** The times of devices: as reported, or those of the trace, and never in the wrong order. */
function timesFault({ device, performedAt }: Line, shown: ApiResponse['body']['device']): string | undefined {
  if (device === null) return undefined
  const { from, until } = shown
  if (performedAt !== null && from !== performedAt) return `from ${from}, not ${performedAt}`
  const { endedBy, endReason } = device
  const ended = endReason === mistake ? from : endReason === reasonOf(endedBy) ? endedBy?.performedAt : null
  if (ended != null && until !== ended && until !== from) return `until ${until}, not ${ended}`
  return until !== null && until < from ? `from ${from} until ${until}` : undefined
}

const steps = [
  ...[order, order, order, submit, submit, submit, fulfil, fulfil, fulfil, fulfil],
  ...[end, end, end, resume, resume, takeBack, number, number, search, search, search]
]
const outcomes = [
  ...['201', '204', '403 not-your-move', '404 not-found', '409 device-ended', '422 dangling-reference'],
  ...['422 device-not-in-use', '422 no-device', '422 invalid-period', '422 unrelated-item'],
  ...['RETURNED by another seller', 'REPLACED by another seller', 'shown relation', 'hidden relation'],
  ...['RETURNED taken back', 'REPLACED taken back'],
  ...['another device in use again', 'another device replaced again'],
  'ended by a line after an end by hand',
  // Filters that found something.
  ...['inUse', 'endReason', 'deviceItem', 'patient', 'relatedTo', ...numberNames]
]

t.test('devices follow the model', async (t) => {
  const app = await testApp(t)
  await runWorlds(t, 3, outcomes, async (random, saw) => {
    await app.sql`update devices set used_until = used_from, end_reason = 'LOST' where used_until is null`
    const w = await world(app)
    const otherModel = async (seller: string) => {
      const list = await w.clerk.create(`${catalogue}/catalogue`, { seller, name: 'Models', status: 'DRAFT' })
      const model = { catalogueItemType: 'DeviceModel', manufacturer: 'A&D', model: 'Other' }
      return w.clerk.create(`${catalogue}/catalogue-item`, { ...model, catalogue: list, name: 'Other' })
    }
    const [own, other] = [await otherModel(w.seller), await otherModel(w.otherSeller)]
    const service = await addOtherService(w)
    const sellers = [
      { url: w.seller, by: w.provider, item: w.monitor, hasModel: true, otherModel: own },
      { url: w.otherSeller, by: w.otherProvider, item: service, hasModel: false, otherModel: other }
    ]
    const run: Run = { w, sellers, random, lines: [], saw }
    for (let step = 0; step < 500; step++) await random.one(steps)(run)
    await compare(run)
  })
})
