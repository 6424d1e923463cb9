import t from 'tap'
import { deviceNumberKey } from '../../src/platform/text/numbers.js'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { lineTrace, submittedLine } from '../fixtures/devices.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { add, catalogue, deviceModel, orders, pathOf, transitionTo } from '../fixtures/world.js'

const gs = '\u001d'
const gtin = '05712345678909'
const udi = `01${gtin}1729030010LOT-7${gs}21SN-4711-0042`
const read = { serialNumber: 'SN-4711-0042', lotNumber: 'LOT-7', expiryDate: '2029-03' }
const none = { serialNumber: null, lotNumber: null, udi: null, expiryDate: null }

const { app, w } = await testWorld(t)

/** A line that delivered a device, with the operations of the JSON Patch that fulfilled it. */
async function delivered(patch: readonly object[] = [], item = w.monitor): Promise<string> {
  const line = await submittedLine(w, { item })
  await w.provider.patch(pathOf(line), [...transitionTo('FULFILLED'), ...patch], 204)
  return line
}

const write = (line: string, ...patch: object[]) => w.provider.patch(pathOf(line), patch, 204)
const deviceOf = async (line: string) => (await w.nurse.get(pathOf(line), 200)).body.device
type Query = Record<string, string> | [string, string][]
const list = (query: Query) => `${orders}/order-lines?${new URLSearchParams(query)}`
const found = async (query: Query, caller: Caller = w.nurse) =>
  idsOf((await caller.get(list(query), 200)).body)
const tracedLast = async (line: string) => (await lineTrace(w.nurse, line)).at(-1)?.supplementaryText

t.test('a scanned UDI fills numbers that are neither stored nor in the patch', async (t) => {
  const fulfilled = await delivered([add('/device/udi', udi)])
  t.match(await deviceOf(fulfilled), { udi, ...read, differsFromUdi: [] })
  const later = await delivered()
  t.match(await deviceOf(later), { ...none, differsFromUdi: [] })
  await write(later, add('/device/udi', `]d2${udi}`))
  t.match(await deviceOf(later), { udi: `]d2${udi}`, ...read })
  t.equal(await tracedLast(later), 'Changed: serialNumber, lotNumber, udi, expiryDate.')
  const whole = await delivered([add('/device', { udi, lotNumber: null })])
  t.match(await deviceOf(whole), { ...read, lotNumber: null, differsFromUdi: [] }, 'null was sent')
  const other = await delivered([add('/device/udi', '+A99912345/$$52001510X3')])
  t.match(await deviceOf(other), { ...none, udi: '+A99912345/$$52001510X3' })
  const wrong = await delivered([add('/device/udi', udi.replace(gtin, '05712345678901'))])
  t.match(await deviceOf(wrong), { serialNumber: null, lotNumber: null, expiryDate: null })
})

t.test('a number that differs from the UDI stays, and the response names it', async (t) => {
  const line = await delivered([add('/device/lotNumber', 'LOT-8')])
  const patch = [add('/device/udi', udi), add('/device/serialNumber', 'sn-4711 -0042')]
  const representation = { prefer: 'return=representation' }
  const { body } = await w.provider.patch(pathOf(line), patch, 200, representation)
  const numbers = { serialNumber: 'sn-4711 -0042', lotNumber: 'LOT-8', expiryDate: '2029-03' }
  t.match(body.device, { ...numbers, differsFromUdi: ['lotNumber'] })
  t.match(await deviceOf(line), { ...numbers, differsFromUdi: ['lotNumber'] })
  await write(line, add('/device/expiryDate', '2029-03-31'))
  t.same((await deviceOf(line)).differsFromUdi, ['lotNumber'], 'a month has each of its days')
  await write(line, add('/device/expiryDate', '2029-04-01'))
  t.same((await deviceOf(line)).differsFromUdi, ['lotNumber', 'expiryDate'])
  await write(line, add('/device', { ...(await deviceOf(line)), lotNumber: 'LOT-7', expiryDate: null }))
  t.match(await deviceOf(line), { expiryDate: null, differsFromUdi: [] })
  t.equal(
    outcome(await w.provider.patch(pathOf(line), [add('/device/differsFromUdi', ['udi'])])),
    '422 read-only /0/value'
  )
})

t.test('numbers are stored without invisible characters and further spaces', async (t) => {
  const line = await delivered([
    add('/device/serialNumber', '\u200b SN\u00a0\t4\u00ad7 '),
    add('/device/lotNumber', 'Måned\ufeff 3\n'),
    add('/device/udi', ' SCAN-1\r\n')
  ])
  const numbers = { serialNumber: 'SN 47', lotNumber: 'Måned 3', udi: 'SCAN-1' }
  t.match(await deviceOf(line), numbers)
  const { headers } = await w.nurse.get(pathOf(line), 200)
  await write(line, add('/device/serialNumber', 'SN  47'), add('/device/lotNumber', ' Måned 3'))
  t.equal((await w.nurse.get(pathOf(line), 200)).headers.etag, headers.etag, 'nothing has changed')
  for (const query of [
    { serialNumber: 'sn47' },
    { serialNumber: '\u200eS N\u202f47' },
    { lotNumber: 'MÅNED3' },
    { udi: 'scan-1' }
  ])
    t.same(await found(query), [idOf(line)], JSON.stringify(query))
  await write(line, add('/device/serialNumber', '\u200b'), add('/device/udi', ' '))
  t.match(await deviceOf(line), { serialNumber: null, udi: null })
})

t.test('PostgreSQL and the program make the same keys of numbers', async (t) => {
  const european = String.fromCodePoint(...Array.from({ length: 0x180 - 0xc0 }, (_, at) => 0xc0 + at), 0x1e9e)
  for (const number of ['SN 47-Ab', 'ÆØÅ æøå ÉÖÄÜ', european, ''])
    t.equal((await app.sql`select number_key(${number}) as key`)[0]?.key, deviceNumberKey(number), number)
  for (const udi of ['010571\u001d21Sn', '(01)0571 (21)SN', ']C1010571\u001d21sn', ']d201057121SN\u001d'])
    t.equal((await app.sql`select udi_key(${udi}) as key`)[0]?.key, '01057121sn', JSON.stringify(udi))
})

t.test('checks the form of numbers', async (t) => {
  const line = await delivered()
  const long = `01${gtin}${`10${'L'.repeat(20)}${gs}`.repeat(10)}21SN`
  for (const operation of [
    add('/device/udi', long),
    add('/device/udi', '~'.repeat(250)),
    add('/device/lotNumber', 'Ω'.repeat(100)),
    add('/device/expiryDate', '2028-02'),
    add('/device/expiryDate', '2028-02-29')
  ])
    await write(line, operation)
  for (const operation of [
    add('/device/udi', '~'.repeat(251)),
    add('/device/udi', 'æ'),
    add('/device/udi', 'a\u001eb'),
    add('/device/serialNumber', 'a\u001db'),
    add('/device/serialNumber', 'a\u0007b'),
    add('/device/lotNumber', 'L'.repeat(101)),
    add('/device/expiryDate', '2028-13'),
    add('/device/expiryDate', '2027-02-29'),
    add('/device/expiryDate', '2028'),
    add('/device/expiryDate', '2028-2')
  ])
    t.equal(outcome(await w.provider.patch(pathOf(line), [operation])), '422 invalid-result /0/value')
})

t.test('a recall finds scanned devices by lot, UDI and GTIN', async (t) => {
  const lot = 'RECALLED'
  const scan = (serial: string) => `01${gtin}10${lot}${gs}21${serial}`
  const scanned = await delivered([add('/device/udi', `]C1${scan('A1')}`)])
  const spaced = await delivered([add('/device/lotNumber', ' recalled')])
  const typed = await delivered([add('/device/udi', `(01)${gtin}(10)${lot}(21)A2`)])
  t.same(await found({ lotNumber: lot }), [scanned, spaced, typed].map(idOf))
  for (const [udi, line] of [
    [`01${gtin}10RECALLED${gs}21A1`, scanned],
    [`01${gtin}10RECALLED 21a1`, scanned],
    [`(01)${gtin}(10)RECALLED(21)A1`, scanned],
    [`]d2${scan('A2')}`, typed]
  ] as const)
    t.same(await found({ udi }), [idOf(line)], JSON.stringify(udi))
  const query = { gtin: gtin.slice(1), lotNumber: lot }
  t.same(await found(query), [scanned, typed].map(idOf))
  t.same(await found(query, w.provider), [scanned, typed].map(idOf))
  t.same(await found(query, w.otherNurse), [])
  const several = await found([
    ['lotNumber', 'LOT-7'],
    ['lotNumber', lot],
    ['gtin', gtin]
  ])
  t.same(several.slice(-2), [scanned, typed].map(idOf))
  t.ok(several.length > 2, 'several lots')
})

t.test('a GTIN finds devices whose model has it, at the delivery or now', async (t) => {
  const [code, box, later] = ['96385074', '15712345678906', '0614141999996']
  const body = deviceModel(w.catalogue, { model: 'UC-352' })
  const withNumbers = (...values: string[]) => ({
    ...body,
    identifiers: values.map((value) => ({ system: 'urn:gtin', value }))
  })
  const item = await w.clerk.create(`${catalogue}/catalogue-item`, withNumbers('M-1', `00000${code}`, box))
  await w.clerk.create(`${catalogue}/white-list`, { buyer: w.buyer, item })
  const line = await delivered([], item)
  const scanned = await delivered([add('/device/udi', udi)], item)
  t.same(await found({ gtin: code }), [line, scanned].map(idOf))
  t.same(await found({ gtin: box }), [line, scanned].map(idOf), 'each identifier of the model of today')
  await w.clerk.put(pathOf(item), withNumbers('M-1', later), 204)
  for (const earlier of [`000000${code}`, box])
    t.same(await found({ gtin: earlier }), [line, scanned].map(idOf), 'each of the model at the delivery')
  t.same(await found({ gtin: later.slice(1) }), [line, scanned].map(idOf), 'the model of today')
  t.notOk((await found({ gtin: later })).includes(idOf(await delivered())))
})

t.test('q finds parts of serial and lot numbers of the devices that the caller sees', async (t) => {
  const line = await delivered([add('/device', { serialNumber: 'QX-99-0815', lotNumber: 'Årgang 7' })])
  for (const q of ['0815', 'qx-99', 'X-99-08 gang', 'ÅRGANG', '99 7'])
    for (const caller of [w.nurse, w.provider]) t.same(await found({ q }, caller), [idOf(line)], q)
  for (const q of ['0816', 'qx 6', '%', 'LOT-9999']) t.same(await found({ q }), [], q)
  for (const caller of [w.otherNurse, w.otherProvider]) t.same(await found({ q: '0815' }, caller), [])
  t.same(await found({ q: '0815', inUse: 'true', lotNumber: 'årgang7' }), [idOf(line)])
  t.same(await found({ q: '0815', inUse: 'false' }), [])
})

t.test('CSV replaces the separators of a UDI by spaces, and a search accepts both forms', async (t) => {
  const line = await delivered([add('/device/udi', udi.replace('0042', '0043'))])
  const csv = await w.nurse.get(list({ serialNumber: 'SN-4711-0043' }), undefined, { accept: 'text/csv' })
  const cell = udi.replace('0042', '0043').replace(gs, ' ')
  t.match(csv.body, `,${cell},2029-03,`)
  t.same(await found({ udi: cell }), [idOf(line)])
  const typed = await delivered([add('/device/udi', cell)])
  t.match(await deviceOf(typed), { ...read, serialNumber: 'SN-4711-0043' })
})
