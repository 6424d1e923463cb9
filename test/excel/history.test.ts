import t from 'tap'
import { fileName } from '../../src/excel/import/uploaded-file.js'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, form } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { deviceRows, historyOf, importRows, undoImport } from '../fixtures/excel/undo.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { contract } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue as api, orders, organization } from '../fixtures/world.js'

t.test('the history of imports', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk, provider, otherProvider, seller } = w
  const send = async (caller: Caller, method: 'POST' | 'PUT', path: string, name: string) => {
    const sheets = sheetsWith({
      Catalogue: [rowFor.Catalogue({ Name: 'Named' })],
      Devices: deviceRows(name)
    })
    const { payload, headers } = form(await workbookOf(sheets), { name })
    const url = `${excel}${path}`
    return (await caller.send({ method, url, payload, headers })).body
  }

  t.test('shows the user, the time, the file and the changes, newest first', async (t) => {
    const before = new Date()
    const made = await send(provider, 'POST', '/catalogue', 'Jens Hansen æøå.xlsx')
    const path = `/catalogue/${made.catalogue.split('/').at(-1)}?confirm=true`
    const second = await send(provider, 'PUT', path, 'second.xlsx')
    await send(provider, 'PUT', path, 'second.xlsx')
    await send(provider, 'PUT', `${path}&dryRun=true`, 'third.xlsx')
    const undone = (await undoImport(provider, second.import)).body
    const history = await historyOf(provider, made.catalogue)
    t.match(history, [
      {
        ...{ id: undone.id, undoes: second.import, undone: null, undoable: false, fileName: null },
        items: { created: 0, changed: 0, withdrawn: 1 }
      },
      { id: second.import, fileName: 'second.xlsx', undone: undone.recorded, undoable: false },
      {
        ...{ id: made.import, catalogue: made.catalogue, seller, undoes: null, undone: null },
        ...{ userType: 'Provider', organization: organization('provider'), fileName: 'Jens Hansen æøå.xlsx' },
        ...{ catalogueChange: 'created', items: { created: 1, changed: 0, withdrawn: 0 } },
        ...{ annotations: { created: 0, deleted: 0 }, whiteList: { created: 0, deleted: 0 } }
      }
    ])
    t.equal(history.length, 3, 'not the import that changed nothing, nor the dry run')
    t.type(history[2].user, 'string')
    const times = history.map(({ recorded }) => recorded)
    t.same(times, [...times].sort().reverse())
    t.ok(new Date(times[2]).getTime() >= before.getTime() - 60_000)
    const names = /Jens Hansen|second\.xlsx/
    for (const line of app.lines) t.notMatch(line, names, 'no log line has the name of a file')
    const events = await app.sql`select e::text as text from events e`
    for (const { text } of events) t.notMatch(text, names)
  })

  t.test('is paged', async (t) => {
    const all = (await provider.get(`${excel}/imports`, 200)).body
    const pages = await pagesAt(provider, `${excel}/imports?limit=1`)
    t.ok(all.length > 2)
    t.same(
      pages.flatMap(({ body }) => body),
      all
    )
  })

  t.test('hides the person, the file and the changes of buyers from another organization', async (t) => {
    const list = await clerk.create(`${api}/catalogue`, { seller, name: 'Shared', status: 'ACTIVE' })
    const made = await importRows(
      clerk,
      { Devices: deviceRows('A'), Annotations: [rowFor.Annotations('A')] },
      list
    )
    const [own] = await historyOf(clerk, list)
    t.match(own, { fileName: 'catalogue.xlsx', annotations: { created: 1 } })
    t.type(own.user, 'string')
    const other = app.as('AdministrativeClerk', organization('other-region'))
    await other.create(`${orders}/contract`, { ...contract(w), buyer: [w.otherBuyer] })
    t.same(await historyOf(other, list), [], 'a contract shows nothing')
    t.equal(outcome(await undoImport(other, made.import)), '404 not-found')
    for (const caller of [provider, app.as('AdministrativeClerk', organization('provider'))]) {
      t.same(await historyOf(caller, list), [
        { ...own, user: null, fileName: null, annotations: null, whiteList: null }
      ])
      t.equal(
        outcome(await undoImport(caller, made.import)),
        '403 forbidden',
        'the annotations are not theirs'
      )
    }
    const items = await importRows(clerk, { Devices: deviceRows('B') }, list)
    t.equal(outcome(await undoImport(provider, items.import)), '200', 'items are the seller’s as well')
    t.match(await historyOf(clerk, list), [{ user: null, organization: organization('provider') }, {}, {}])
  })

  t.test('shows nothing to another provider, who cannot undo an import', async (t) => {
    const made = await importRows(provider, { Devices: deviceRows('A') })
    t.same(await historyOf(otherProvider, made.catalogue), [])
    t.same((await otherProvider.get(`${excel}/imports`, 200)).body, [])
    const foreign = await undoImport(otherProvider, made.import)
    const missing = await undoImport(otherProvider, unknownId)
    t.same({ ...foreign.body, instance: '' }, { ...missing.body, instance: '' })
    t.equal(outcome(foreign), '404 not-found')
    t.equal(outcome(await undoImport(provider, made.import)), '200', 'the import is kept')
  })

  t.test('is deleted after 24 months, together with the undos of deleted imports', async (t) => {
    const first = await importRows(provider, { Devices: deviceRows('Z') })
    await undoImport(provider, first.import)
    await app.sql`update catalogue_imports set recorded_at = recorded_at - interval '24 months' where undoes is null`
    await importRows(provider, { Devices: deviceRows('Y') })
    t.equal((await historyOf(provider, first.catalogue)).length, 2, 'the undo is kept, and what it undid')
    await app.sql`update catalogue_imports set recorded_at = recorded_at - interval '24 months' where undoes is not null`
    await importRows(provider, { Devices: deviceRows('X') })
    t.equal((await historyOf(provider, first.catalogue)).length, 0)
  })
})

t.test('the name of a file is cleaned', async (t) => {
  const cases: [string | undefined, string | null][] = [
    ['catalogue.xlsx', 'catalogue.xlsx'],
    ['C:\\Users\\hanne\\liste.xlsx', 'liste.xlsx'],
    ['../../etc/liste.xlsx', 'liste.xlsx'],
    ['a\u0000b\u0007\u202e\u200bc\td.xlsx', 'ab c d.xlsx'],
    ['\ud800x.xlsx', 'x.xlsx'],
    ['😀'.repeat(300), '😀'.repeat(200)],
    ['', null],
    [' / ', null],
    [undefined, null]
  ]
  for (const [sent, kept] of cases) t.equal(fileName(sent), kept, JSON.stringify(sent))
})
