import t from 'tap'
import { testApp, testWorld } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, form } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { assertRejections, jsonHeader } from '../fixtures/routes/refusal.js'
import { catalogue, deviceModel, orders, pathOf, transitionTo, world } from '../fixtures/world.js'

/** This text has 72,000 characters after normalization. */
const grown = '\ufdfa'.repeat(4000)
const sent = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: unknown) => ({
  method,
  url,
  headers: jsonHeader,
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

const { app, w } = await testWorld(t)
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
  const tooLong = sent('POST', `${orders}/order`, w.draft({ notes: notes(4, 900) }))
  await assertRejections(t, nurse, [['too long together', tooLong, '422 too-many-notes /notes']])
  const { order } = await w.submitted()
  const tooManyInPatch = '422 too-many-notes /0/value'
  const add = (length = 10) => [{ op: 'add', path: '/notes/-', value: { note: 'æ'.repeat(length) } }]
  await nurse.patch(pathOf(order), add(1000), 204)
  await assertRejections(t, provider, [
    ['bytes, not characters', sent('PATCH', pathOf(order), add(500)), tooManyInPatch]
  ])
  for (let at = 0; at < 4; at++) await provider.patch(pathOf(order), add(), 204)
  await assertRejections(t, provider, [
    ['a sixth', sent('PATCH', pathOf(order), add()), tooManyInPatch],
    [
      'a sixth and a move',
      sent('PATCH', pathOf(order), [...add(), ...transitionTo('ACCEPTED')]),
      tooManyInPatch
    ]
  ])
  await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)

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
    await assertRejections(t, nurse, [['one note more', sent('PATCH', pathOf(order), add()), tooManyInPatch]])
    await nurse.patch(pathOf(draft), [{ op: 'remove', path: '/notes/299' }], 204)
    t.equal((await nurse.get(pathOf(draft), 200)).body.notes.length, 299)
    await nurse.patch(pathOf(draft), transitionTo('SUBMITTED'), 204)
    await nurse.patch(pathOf(order), [{ op: 'replace', path: '/priority', value: true }], 204)
    await provider.patch(pathOf(order), transitionTo('FULFILLED'), 204)
  })
})

t.test('limits of text apply to its length after normalization', async (t) => {
  const item = deviceModel(w.catalogue)
  const bulk = Array(800).fill({ ...item, name: grown })
  await assertRejections(t, clerk, [
    ['bulk', sent('POST', `${catalogue}/catalogue-items`, bulk), '400 invalid-body /0/name']
  ])
  const draft = await w.createDraft()
  const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }]
  await assertRejections(t, nurse, [
    ['patch', sent('PATCH', pathOf(draft), replace('/name', grown)), '422 invalid-result /0/value']
  ])
  await app.sql`update orders set name = ${grown} where id = ${idOf(draft)}`
  await nurse.patch(pathOf(draft), replace('/priority', true), 204)

  const count = await normalizedCharacters(() =>
    clerk.send(sent('POST', `${catalogue}/catalogue-items`, bulk))
  )
  t.ok(count < bulk.length * 18_000, `${count} characters normalized`)
})

t.test('limits of text in a workbook apply to its length after normalization', async (t) => {
  const devices = Array.from({ length: 800 }, (_, at) =>
    rowFor.Devices(`${at}`, { Name: grown, Description: grown })
  )
  const file = form(await workbookOf(sheetsWith({ Devices: devices })))
  const count = await normalizedCharacters(async () => {
    const { body } = await clerk.send({ method: 'POST', url: `${excel}/catalogue`, ...file })
    t.match(body, {
      code: 'faulty-workbook',
      faults: [
        { sheet: 'Devices', code: 'text-too-long', detail: /normalization \(NFKD\)/ },
        { sheet: 'Devices', code: 'text-too-long' }
      ]
    })
  })
  t.ok(count < devices.length * 2 * 18_000, `${count} characters normalized`)
})
