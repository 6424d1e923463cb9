import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import {
  addressUnder,
  type Cells,
  rowFor,
  type SheetName,
  sheetsWith
} from '../fixtures/excel/catalogue-rows.js'
import { excel, form } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { refused } from '../fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, pathOf, patient, world } from '../fixtures/world.js'

/** Has 72,000 characters after normalization. */
const grown = '\ufdfa'.repeat(4000)
const json = { 'content-type': 'application/json' }
const sent = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown) => ({
  method,
  url,
  headers: json,
  payload: typeof body === 'string' ? body : JSON.stringify(body)
})

/** Measures the processor time of a request in milliseconds, the best of four, and its response. */
async function processorTime(caller: Caller, request: Parameters<Caller['send']>[0]) {
  const times: number[] = []
  let response: ApiResponse | undefined
  for (let at = 0; at < 4; at++) {
    const before = process.cpuUsage()
    response = await caller.send(request)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return { milliseconds: Math.min(...times), status: response?.status, code: response?.body?.code }
}

/** Runs a request and counts the characters that normalization (NFKD) made meanwhile. */
async function normalizedCharacters(run: () => Promise<unknown>): Promise<number> {
  const { normalize } = String.prototype
  let count = 0
  String.prototype.normalize = function (form?: string) {
    const text = normalize.call(this, form)
    count += text.length
    return text
  }
  try {
    await run()
  } finally {
    String.prototype.normalize = normalize
  }
  return count
}

const app = await testApp(t)
const w = await world(app)
const { nurse, clerk } = w

t.test('a JSON Patch takes processor time in proportion to its body', async (t) => {
  const draft = pathOf(await w.createDraft())
  const objects = `[${Array(9_000).fill('{"a":1}').join(',')}]`
  const patch = (path: string, others: readonly object[]) =>
    sent(
      'PATCH',
      draft,
      `[{"op":"add","path":"${path}","value":${objects}},${JSON.stringify(others).slice(1)}`
    )
  const copies = (from: string, path: string) => Array(49).fill({ op: 'copy', from, path })
  const back = (at: number) =>
    at % 2
      ? { op: 'move', from: '/identifiers', path: '/notes' }
      : { op: 'move', from: '/notes', path: '/identifiers' }
  const plain = await processorTime(nurse, patch('/notes', [{ op: 'test', path: '/name', value: 'x' }]))
  const move = { op: 'move', from: '/notes/0', path: '/notes/9' }
  const compare = { op: 'test', path: '/notes', value: [] }
  const cases = [
    {
      what: 'copies to unknown members',
      first: '/x',
      operations: copies('/x', '/y'),
      code: 'unpatchable-target'
    },
    { what: 'copies', operations: copies('/notes', '/identifiers'), code: 'payload-too-large' },
    { what: 'copies of a part', operations: copies('/notes/0', '/notes/-'), code: 'invalid-result' },
    { what: 'moves', operations: Array.from({ length: 49 }, (_, at) => back(at)), code: 'invalid-result' },
    { what: 'moves within', operations: Array(49).fill(move), code: 'invalid-result' },
    { what: 'tests', operations: Array(49).fill(compare), code: 'failed-test' }
  ]
  for (const { what, first = '/notes', operations, code } of cases) {
    const found = await processorTime(nurse, patch(first, operations))
    t.equal(found.code, code, what)
    t.ok(
      found.milliseconds < plain.milliseconds * 10 + 20,
      `${what}: ${found.milliseconds} ms, ${plain.milliseconds} ms without`
    )
  }
})

t.test('the size of the notes of an order is bounded', async (t) => {
  const app = await testApp(t, {}, undefined, { limits: { notes: 5, noteBytes: 3000 } })
  const { nurse, provider, ...w } = await world(app)
  const notes = (count: number, length = 10) => Array(count).fill({ note: 'x'.repeat(length) })
  const tooMany = '422 too-many-notes /notes'
  await refused(t, nurse, [
    ['six at once', sent('POST', `${orders}/order`, w.draft({ notes: notes(6) })), tooMany],
    ['too long together', sent('POST', `${orders}/order`, w.draft({ notes: notes(4, 900) })), tooMany]
  ])
  const { order } = await w.submitted()
  const add = (length = 10) => [{ op: 'add', path: '/notes/-', value: { note: 'æ'.repeat(length) } }]
  await nurse.patch(pathOf(order), add(1000), 204)
  await refused(t, provider, [['bytes, not characters', sent('PATCH', pathOf(order), add(500)), tooMany]])
  for (let at = 0; at < 4; at++) await provider.patch(pathOf(order), add(), 204)
  await refused(t, provider, [
    ['a sixth', sent('PATCH', pathOf(order), add()), tooMany],
    ['a sixth and a move', sent('PATCH', pathOf(order), [...add(), ...moveTo('ACCEPTED')]), tooMany]
  ])
  await provider.patch(pathOf(order), moveTo('ACCEPTED'), 204)

  t.test('an order that exceeds the bound stays changeable', async (t) => {
    const many = (count: number) =>
      JSON.stringify(
        Array.from({ length: count }, (_, at) => ({
          timestamp: '2026-01-01T00:00:00.000Z',
          authorName: 'A',
          authorOrganization: 'B',
          note: `${at} ${'x'.repeat(9000)}`
        }))
      )
    const draft = await w.createDraft()
    await w.addLine(draft)
    await app.sql`update orders set notes = ${many(300)}::text::jsonb where id = ${idOf(draft)}`
    await app.sql`update orders set notes = ${many(100)}::text::jsonb where id = ${idOf(order)}`
    await nurse.patch(pathOf(draft), [{ op: 'replace', path: '/name', value: 'x' }], 204)
    await nurse.patch(pathOf(draft), add(), 413)
    await refused(t, nurse, [['one note more', sent('PATCH', pathOf(order), add()), tooMany]])
    await nurse.patch(pathOf(draft), [{ op: 'remove', path: '/notes/299' }], 204)
    t.equal((await nurse.get(pathOf(draft), 200)).body.notes.length, 299)
    await nurse.patch(pathOf(draft), moveTo('SUBMITTED'), 204)
    await nurse.patch(pathOf(order), [{ op: 'replace', path: '/priority', value: true }], 204)
    await provider.patch(pathOf(order), moveTo('FULFILLED'), 204)
  })
})

t.test('a search is bounded in words and length', async (t) => {
  const list = (path: string, q: string) => ({
    method: 'GET' as const,
    url: `${path}?${new URLSearchParams({ q })}`
  })
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')
  for (const path of [`${orders}/orders`, `${catalogue}/catalogue-items`]) {
    const found = await nurse.get(
      `${path}?${new URLSearchParams({ q: 'monitor MONITOR '.repeat(100) })}`,
      200
    )
    t.equal(found.body.length, path.endsWith('items') ? 2 : 0)
    await nurse.get(`${path}?${new URLSearchParams({ q: words(10) })}`, 200)
    await refused(t, nurse, [
      ['eleven words', list(path, words(11)), '400 invalid-query /q'],
      ['a long word', list(path, 'x'.repeat(101)), '400 invalid-query /q']
    ])
  }
})

t.test('text counts with its length after normalization', async (t) => {
  const item = {
    catalogueItemType: 'DeviceModel',
    catalogue: w.catalogue,
    name: 'n',
    manufacturer: 'm',
    model: 'm'
  }
  const party = {
    allowedRoles: ['BUYER'],
    name: 'n',
    organization: 'https://fhir.example/Organization/region'
  }
  const long = '400 invalid-body'
  const bulk = Array(800).fill({ ...item, name: grown })
  await refused(t, clerk, [
    ...['name', 'model', 'manufacturer', 'description'].map(
      (member): [string, ReturnType<typeof sent>, string] => [
        member,
        sent('POST', `${catalogue}/catalogue-item`, { ...item, [member]: grown }),
        `${long} /${member}`
      ]
    ),
    [
      'identifier',
      sent('POST', `${catalogue}/catalogue-item`, { ...item, identifiers: [{ system: 's', value: grown }] }),
      `${long} /identifiers/0/value`
    ],
    ['replacement', sent('PUT', pathOf(w.monitor), { ...item, name: grown }), `${long} /name`],
    ['bulk', sent('POST', `${catalogue}/catalogue-items`, bulk), `${long} /0/name`],
    ['party', sent('POST', `${orders}/party`, { ...party, name: grown }), `${long} /name`],
    ['catalogue', sent('POST', `${catalogue}/catalogue`, { name: grown, seller: w.seller }), `${long} /name`]
  ])
  const receiver = { name: grown, patient: patient('p1') }
  const draft = await w.createDraft()
  await w.addLine(draft)
  const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }]
  await refused(t, nurse, [
    ['order', sent('POST', `${orders}/order`, w.draft({ name: grown })), `${long} /name`],
    ['receiver', sent('POST', `${orders}/order`, w.draft({ receiver })), `${long} /receiver/name`],
    ['patch', sent('PATCH', pathOf(draft), replace('/name', grown)), '422 invalid-result /name']
  ])
  await app.sql`update orders set name = ${grown} where id = ${idOf(draft)}`
  await nurse.patch(pathOf(draft), replace('/priority', true), 204)
  await refused(t, nurse, [
    [
      'other content',
      sent('PATCH', pathOf(draft), replace('/receiver/email', 'x')),
      '422 invalid-result /name'
    ]
  ])
  await nurse.patch(pathOf(draft), moveTo('SUBMITTED'), 204)

  const count = await normalizedCharacters(() =>
    clerk.send(sent('POST', `${catalogue}/catalogue-items`, bulk))
  )
  t.ok(count < bulk.length * 18_000, `${count} characters normalized`)
})

t.test('text in a workbook counts with its length after normalization', async (t) => {
  const posted = async (rows: Partial<Record<SheetName, Cells[]>>) => ({
    method: 'POST' as const,
    url: `${excel}/catalogue`,
    ...form(await workbookOf(sheetsWith(rows)))
  })
  const grownIn: Record<SheetName, string[]> = {
    Catalogue: ['Name', 'Identifier 1'],
    Devices: [
      'Name',
      'Manufacturer',
      'Model',
      'Version',
      'Description',
      'Identifier system 1',
      'Identifier 1',
      'Identifier assigner 1',
      'Identifier 2'
    ],
    Services: ['Name', 'Description', 'Identifier 1', 'For device: identifier'],
    Annotations: ['Item: identifier', 'Buyer', 'Annotation']
  }
  const rowsOf = (sheet: SheetName, text: string): Cells[] =>
    grownIn[sheet].map((header, at) => {
      const row = sheet === 'Catalogue' ? {} : rowFor[sheet](`${sheet}-${at}`)
      const long = header === 'Annotation' ? text.slice(0, 255) : text
      return { 'Identifier system 2': 'urn:two', ...row, [header]: long }
    })
  const others = ['Devices', 'Services', 'Annotations'] as const
  const { Name, ...catalogueRow } = rowFor.Catalogue({ 'Identifier system 1': 'urn:cat' })
  const rows = {
    Catalogue: [{ ...catalogueRow, Name: grown, 'Identifier 1': grown }],
    ...Object.fromEntries(others.map((sheet) => [sheet, rowsOf(sheet, grown)]))
  }
  const { status, body } = await clerk.send(await posted(rows))
  t.match({ status, code: body.code }, { status: 422, code: 'faulty-workbook' })
  const tooLong = body.faults.flatMap(({ sheet, cell, code, detail }: Record<string, string>) =>
    code === 'text-too-long' && detail?.includes('normalization (NFKD)') ? `${sheet} ${cell}` : []
  )
  const expected = [
    ...grownIn.Catalogue.map((header) => `Catalogue ${addressUnder('Catalogue', header, 2)}`),
    ...others.flatMap((sheet) =>
      grownIn[sheet].map((header, at) => `${sheet} ${addressUnder(sheet, header, at + 2)}`)
    )
  ]
  t.same(tooLong.sort(), expected.sort())

  const devices = Array.from({ length: 800 }, (_, at) =>
    rowFor.Devices(`${at}`, { Name: grown, Description: grown })
  )
  const request = await posted({ Devices: devices })
  const count = await normalizedCharacters(async () => {
    const { code } = (await clerk.send(request)).body
    t.equal(code, 'faulty-workbook')
  })
  t.ok(count < devices.length * 2 * 18_000, `${count} characters normalized`)
})
