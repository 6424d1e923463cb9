import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { plantDelivery } from '../fixtures/devices.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, orders, organization, pathOf, patient, transitionTo } from '../fixtures/world.js'

const { app, w } = await testWorld(t)
const header =
  'order,line,item,itemName,manufacturer,model,serialNumber,lotNumber,udi,expiryDate,from,until,endReason,receiverName,addressLine1,addressLine2,postalCode,postalDistrict,orderNumber,patientName,performedAt,receivedBy'

const csvOf = (caller: Caller, url: string, accept = 'text/csv') =>
  caller.send({ method: 'GET', url, headers: { accept } })
const list = (query: object) =>
  `${orders}/order-lines?${new URLSearchParams(query as Record<string, string>)}`

/** The rows of CSV as objects, by RFC 4180. */
function rowsOf(csv: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  for (const [, cell = '', end] of csv.slice(1).matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === '\r\n') rows.push([])
  }
  const [names = [], ...others] = rows.slice(0, -1)
  return others.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])))
}

t.test('order lines as CSV have their device, item and receiver', async (t) => {
  const first = await plantDelivery(app, w, {
    serial: 'SN-1',
    lot: 'LOT "7", B',
    udi: '(01)057',
    ended: 'RETURNED'
  })
  await app.sql`update devices set expiry_date = '2027-05-01', used_from = '2026-01-02T03:04:05Z',
    used_until = '2026-02-02T03:04:05.6Z'`
  await app.sql`update orders set receiver_name = 'Åse Æble', receiver_address_line1 = 'Vej 1, 2. tv.',
    receiver_postal_code = '0800', receiver_postal_district = 'Høje Taastrup', receiver_patient_name = 'Øjvind Ål'`
  const plain = await plantDelivery(app, w)
  const { order, lines } = await w.submitted()
  for (const caller of [w.nurse, w.provider]) {
    const { status, headers, body } = await csvOf(caller, list({ patient: patient('p1') }))
    t.equal(status, 200)
    t.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present')
    t.match(headers.vary, /\bAccept\b/)
    t.equal(body.slice(0, header.length + 3), `\ufeff${header}\r\n`)
    const item = { item: w.monitor, itemName: 'Blood pressure monitor', manufacturer: 'A&D', model: 'UA-767' }
    const [returned, used, ordered] = rowsOf(body)
    t.match(returned, {
      ...item,
      ...first,
      serialNumber: 'SN-1',
      lotNumber: 'LOT "7", B',
      udi: '(01)057',
      expiryDate: '2027-05-01',
      from: '2026-01-02T03:04:05.000Z',
      until: '2026-02-02T03:04:05.600Z',
      endReason: 'RETURNED',
      receiverName: 'Åse Æble',
      addressLine1: 'Vej 1, 2. tv.',
      addressLine2: '',
      postalCode: '0800',
      postalDistrict: 'Høje Taastrup',
      patientName: 'Øjvind Ål'
    })
    t.match(used, { ...item, ...plain, serialNumber: '', until: '', endReason: '' })
    t.match(ordered, { ...item, order, line: lines[0], from: '', receiverName: 'Rasmus Receiver' })
    t.equal(rowsOf(body).length, 3)
  }
})

const draftOf = (item: string) => w.createDraft({ orderLines: [{ item, action: 'DELIVER' }] })

t.test('shows items as delivered, as ordered, and in a draft as the catalogue has them now', async (t) => {
  const item = await w.addModel({ name: 'First name', model: 'First model' })
  const rename = (name: string) => app.sql`update catalogue_items set name = ${name} where id = ${idOf(item)}`
  const delivered = await plantDelivery(app, w, { item })
  await app.sql`update devices set model = jsonb_set(model, '{name}', '"Delivered"') where line_id = ${idOf(delivered.line)}`
  await rename('Ordered')
  await w
    .createDraft({ orderLines: [{ item, action: 'DELIVER' }] })
    .then((order) => w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204))
  await rename('Now')
  await draftOf(item)
  const names = rowsOf((await csvOf(w.nurse, list({ item }))).body).map(({ itemName }) => itemName)
  t.same(names, ['Delivered', 'Ordered', 'Now'])
})

t.test('escapes every value that a spreadsheet would run as a formula', async (t) => {
  const { order } = await plantDelivery(app, w, { patient: patient('formulas'), serial: '-1' })
  const cells = async (text: string) => {
    await app.sql`update orders set receiver_address_line1 = ${text} where id = ${idOf(order)}`
    const [row] = rowsOf((await csvOf(w.nurse, list({ order }))).body)
    return row?.addressLine1
  }
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("https://x","y")'])
    t.equal(await cells(text), `'${text}`)
  for (const [text, guarded] of [
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    [';=1+41', ";'=1+41"],
    ['x;"=1;@y', `x;'"=1;'@y`],
    ['x\t+1', "x\t'+1"],
    ['x\r\n-1', "x\r\n'-1"]
  ] as const)
    t.equal(await cells(text), guarded)
  for (const text of ["'=1", 'x;y', 'x\ty', 'Vej -1', '1-2', 'a@b.example', '"=1"', 'a\r\nb', ' =1', '–1'])
    t.equal(await cells(text), text)
  const [row] = rowsOf((await csvOf(w.nurse, list({ order }))).body)
  t.equal(row?.serialNumber, "'-1")
})

t.test('CSV has the filters, pages and access of the list as JSON', async (t) => {
  const used = await plantDelivery(app, w, { lot: 'PAGED' })
  const other = await plantDelivery(app, w, { lot: 'PAGED', seller: w.otherSeller })
  const urls: string[] = []
  for (let url: string | undefined = list({ lotNumber: 'PAGED', limit: 1 }); url; ) {
    const { headers, body } = await csvOf(w.nurse, url)
    t.equal(body.split('\r\n')[0], `\ufeff${header}`, 'each page')
    urls.push(...rowsOf(body).map(({ line = '' }) => line))
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '') ?? []
    url = link && new URL(link).pathname + new URL(link).search
  }
  t.same(urls, [used.line, other.line])
  const linesOf = async (caller: Caller) =>
    rowsOf((await csvOf(caller, list({ inUse: true, lotNumber: 'PAGED' }))).body).map(({ line }) => line)
  t.same(await linesOf(w.provider), [used.line])
  t.same(await linesOf(w.otherProvider), [other.line])
  t.same(await linesOf(w.otherNurse), [])
  const none = await csvOf(w.nurse, list({ deviceItem: `${w.monitor.slice(0, -4)}0000` }))
  t.equal(none.body, `\ufeff${header}\r\n`)
  t.equal(outcome(await csvOf(w.nurse, list({ inUse: 'maybe' }))), '400 invalid-query /inUse')

  const limited = { permissions: ['OrderLine.read'] }
  const reader = app.as('MonitoringResponsible', organization('region'), limited)
  const [row] = rowsOf((await csvOf(reader, list({ lotNumber: 'PAGED' }))).body)
  t.match(row, { line: used.line, lotNumber: 'PAGED', receiverName: '', addressLine1: '' })
  const [ofDraft] = rowsOf((await csvOf(reader, list({ order: await draftOf(w.monitor) }))).body)
  t.match(ofDraft, { item: w.monitor, itemName: '', manufacturer: '', model: '' })
  t.equal(outcome(await csvOf(w.clerk, list({}))), '403 forbidden')
})

t.test('a client gets CSV if it prefers it to JSON', async (t) => {
  const typeOf = async (accept: string, url = list({})) =>
    (await csvOf(w.nurse, url, accept)).headers['content-type']?.split(';')[0]
  for (const accept of [
    'text/csv',
    'text/csv, application/json',
    'application/json;q=0.5, text/CSV;header=present'
  ])
    t.equal(await typeOf(accept), 'text/csv', accept)
  for (const accept of ['application/json, text/csv', '*/*', 'text/html', 'application/json', 'text/csv;q=0'])
    t.equal(await typeOf(accept), 'application/json', accept)
  t.equal(await typeOf('text/csv', `${orders}/orders`), 'application/json', 'a list without CSV')
  t.equal(await typeOf('text/csv', `${catalogue}/catalogues`), 'application/json')
})

t.test('the audit record names the shown orders and patients, as for JSON', async (t) => {
  const { order } = await plantDelivery(app, w, { lot: 'AUDITED' })
  const recordOf = async (accept: string) => {
    await csvOf(w.nurse, list({ lotNumber: 'AUDITED' }), accept)
    const [row] = await app.sql`select operation, interaction, orders, patients, problem
      from audit_events order by recorded desc, id desc limit 1`
    return row
  }
  const [json, csv] = [await recordOf('application/json'), await recordOf('text/csv')]
  t.match(csv, { operation: 'listOrderLine', orders: [idOf(order)] })
  t.same(csv, json)
})
