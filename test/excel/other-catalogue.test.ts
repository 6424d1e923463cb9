import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { world } from '../fixtures/world.js'

const { Catalogue: row, Devices: device } = rowFor
const bookOf = (name: string, identifier: string | null, more = {}) =>
  sheetsWith({
    Catalogue: [
      row({
        Name: name,
        ...(identifier ? { 'Identifier system 1': 'urn:cat', 'Identifier 1': identifier } : {}),
        ...more
      })
    ],
    Devices: [device('D-1')]
  })

t.test('an import of a workbook of another catalogue', async (t) => {
  const app = await testApp(t)
  const { clerk, provider } = await world(app)
  const create = (...book: Parameters<typeof bookOf>) => upload(clerk, 'POST', '/catalogue', bookOf(...book))
  const first = (await create('First', 'C-1')).body.catalogue
  const second = (await create('Second', 'C-2')).body.catalogue
  const put = (query: string, ...book: Parameters<typeof bookOf>) =>
    upload(clerk, 'PUT', `/catalogue/${second.split('/').at(-1)}${query}`, bookOf(...book))

  t.test('is rejected as a new catalogue with the identifier of another catalogue, also in a dry run', (t) =>
    writingNothing(t, app.sql, async () => {
      for (const caller of [clerk, provider])
        for (const query of ['', '?dryRun=true']) {
          const sent = await upload(caller, 'POST', `/catalogue${query}`, bookOf('Anew', 'C-1'))
          t.match(sent, {
            status: 409,
            body: { code: 'catalogue-exists', catalogue: first, name: 'First' }
          })
          t.ok(sent.body.detail.includes(first))
        }
    })
  )

  t.test('is reported together with other faults', (t) =>
    writingNothing(t, app.sql, async () => {
      const wrong = { Status: 'OPEN' }
      t.match((await create('Anew', 'C-1', wrong)).body, {
        code: 'faulty-workbook',
        total: 2,
        faults: [
          { cell: 'C2', code: 'unknown-coding' },
          { cell: 'E2', code: 'catalogue-exists' }
        ]
      })
      t.match((await create('Anew', 'C-1', { ...wrong, Seller: 'nobody' })).body.total, 2)
    })
  )

  t.test(
    'creates a catalogue if the identifier or the seller differs, or without an identifier',
    async (t) => {
      t.equal(outcome(await create('First', 'C-3')), '201')
      t.equal(outcome(await create('First', null)), '201')
      t.equal(outcome(await create('First', 'C-1', { Seller: 'other-provider' })), '201')
    }
  )

  t.test('must be confirmed as an update with the identifier or the name of another catalogue', async (t) => {
    await writingNothing(t, app.sql, async () => {
      const refusal = { status: 409, body: { code: 'other-catalogue', catalogue: first, name: 'First' } }
      t.match(await put('', 'Second', 'C-1'), refusal)
      t.match(await put('?dryRun=true', ' first', 'C-2'), { status: 409, body: { code: 'other-catalogue' } })
      t.match(await put('?confirm=true&dryRun=true', 'First', 'C-1'), { status: 200 })
      t.equal(
        outcome(await upload(clerk, 'POST', '/catalogue?confirm=true', bookOf('X', 'C-9'))),
        '400 invalid-query /confirm'
      )
    })
    t.match(await put('?confirm=true', 'First', 'C-1'), { status: 200, body: { catalogueChange: 'changed' } })
    t.match(await put('', 'First', 'C-1'), { status: 200, body: { catalogueChange: 'unchanged' } }, 'once')
  })

  t.test('is created once by two uploads at the same time', async (t) => {
    let uploads: Promise<ApiResponse[]> = Promise.resolve([])
    await app.sql.begin(async (tx) => {
      // No upload writes a catalogue before both wait, for this lock or for each other.
      await tx`lock table catalogues in share mode`
      // Of two organizations, because each organization has one import at a time.
      const uploadBy = (caller: Caller) => upload(caller, 'POST', '/catalogue', bookOf('Twice', 'C-4'))
      uploads = Promise.all([uploadBy(clerk), uploadBy(provider)])
      await until(async () => (await countWaiting(app.sql)) >= 2)
    })
    const sent = await uploads
    t.same(sent.map(outcome).sort(), ['201', '409 catalogue-exists'])
    const made = sent.find(({ status }) => status === 201)?.body.catalogue
    await clerk.get(`${excel}/catalogue/${made.split('/').at(-1)}`, 200)
  })
})
