import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { submittedLine } from '../fixtures/devices.js'
import { rowFor } from '../fixtures/excel/catalogue-rows.js'
import { excel } from '../fixtures/excel/client.js'
import { sheetsOf } from '../fixtures/excel/edit.js'
import { deviceRows, historyOf, importRows, itemsOf, undoImport } from '../fixtures/excel/undo.js'
import { contract } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { catalogue as api, orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

const { Catalogue: catalogueRow, Devices: device, Services: service, Annotations: annotation } = rowFor

t.test('the undo of an import', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk, provider, buyer } = w
  const exportOf = async (url: string) =>
    sheetsOf((await clerk.get(`${excel}/catalogue/${url.split('/').at(-1)}`, 200)).body)
  const urlOf = (id: string) => `${new URL(w.monitor).origin}${api}/catalogue-item/${id}`
  const idsOf = async (url: string) => (await itemsOf(clerk, url)).map(({ id }) => id)
  const textsAt = (urls: readonly string[]) =>
    Promise.all(urls.map(async (url) => JSON.stringify((await clerk.get(pathOf(url), 200)).body)))
  let number = 0
  const described = { Version: '1', Description: 'Before' }
  /** A catalogue of two devices and a service, not imported by the last import. */
  const existing = async () => {
    const name = `List ${++number}`
    const { catalogue } = await importRows(clerk, {
      Catalogue: [catalogueRow({ Name: name, 'Identifier system 1': 'urn:list', 'Identifier 1': name })],
      Devices: [
        device('A', { 'Identifier system 2': 'urn:more', 'Identifier 2': 'A2' }),
        device('B', described)
      ],
      Services: [service('S', { 'For device: identifier': 'A' })],
      Annotations: [annotation('A')]
    })
    return catalogue as string
  }

  t.test('restores items, the catalogue, annotations and white lists', async (t) => {
    const url = await existing()
    const ids = await idsOf(url)
    const urls = [url, ...ids.map(urlOf)]
    const [before, sheets] = [await textsAt(urls), await exportOf(url)]
    const annotations = async () =>
      (await clerk.get(`${api}/annotations?catalogue=${encodeURIComponent(url)}`, 200)).body
    const annotated = await annotations()
    const made = await importRows(
      clerk,
      {
        Catalogue: [catalogueRow({ Name: 'Another name', Status: 'INACTIVE' })],
        Devices: [
          device('A', {
            ...{ Name: 'Renamed', Status: 'DISCONTINUED', Description: 'ærø "\\ 😀', Version: '2' },
            ...{ 'Identifier assigner 1': 'Assigner', 'Identifier system 2': 'urn:more' },
            'Identifier 2': 'A3'
          }),
          device('B', { Manufacturer: 'New maker', Model: 'New model', Version: null, Description: null }),
          device('C')
        ],
        Services: [service('S', { 'For device: identifier': 'C' }), service('T')],
        Annotations: [annotation('A', { Annotation: 'second' }), annotation('C')]
      },
      url
    )
    t.match(made, { catalogueChange: 'changed', annotations: { created: 2 } })
    t.not(JSON.stringify(await textsAt(urls)), JSON.stringify(before))
    const undone = await undoImport(clerk, made.import)
    t.match(undone, {
      status: 200,
      body: { undoes: made.import, undoable: false, catalogueChange: 'changed' }
    })
    t.same(undone.body.items, { created: 0, changed: made.changed, withdrawn: made.created })
    t.same(await textsAt(urls), before, 'byte by byte')
    t.same(await exportOf(url), sheets)
    t.same(await annotations(), annotated)
    const created = (await itemsOf(clerk, url)).filter(({ id }) => !ids.includes(id))
    t.equal(created.length, made.created)
    for (const each of created) t.match(each, { status: 'UNAVAILABLE', identifiers: [] })
    await textsAt(created.map(({ id }) => urlOf(id)))
    const same = await importRows(clerk, { Devices: [device('B', described)] }, url)
    t.match(same, { import: null, created: 0, changed: 0 })
  })

  t.test('lets a corrected workbook be imported as if the undone import had not happened', async (t) => {
    const url = await existing()
    const wrong = await importRows(clerk, { Services: [service('N')] }, url)
    t.equal((await undoImport(clerk, wrong.import)).status, 200)
    const right = await importRows(clerk, { Devices: deviceRows('N') }, url)
    t.equal(right.created, 1, 'with the same identifier, as an item of another type')
    const [withdrawn] = (await itemsOf(clerk, url)).filter(({ name }) => name === 'Service N')
    await clerk.put(
      `${api}/catalogue-item/${withdrawn.id}`,
      { ...withdrawn, status: 'AVAILABLE', serviceType: 'REPAIR' },
      204
    )
    t.ok(JSON.stringify(await exportOf(url)).includes('Service N'), 'what was changed is exported again')
  })

  t.test('makes a created catalogue INACTIVE, and its items unavailable', async (t) => {
    const made = await importRows(provider, { Devices: deviceRows('X', 'Y') })
    t.equal((await undoImport(provider, made.import)).status, 200)
    t.match((await provider.get(pathOf(made.catalogue), 200)).body, { status: { code: 'INACTIVE' } })
    t.same(
      (await itemsOf(provider, made.catalogue)).map(({ status }) => status),
      ['UNAVAILABLE', 'UNAVAILABLE']
    )
    t.equal((await exportOf(made.catalogue)).Devices?.length, 1, 'headers only')
  })

  t.test('is written to the ledger of events', async (t) => {
    const url = await existing()
    const made = await importRows(
      clerk,
      { Devices: [device('B', { Name: 'New' }), device('C')], Annotations: [annotation('B')] },
      url
    )
    const count = async () => Number((await app.sql`select count(*) as n from events`)[0]?.n)
    const before = await count()
    await undoImport(clerk, made.import)
    const events =
      await app.sql`select type, change, old_status, new_status, sequence from events order by position offset ${before}`
    t.same(
      events.map((event) => Object.values(event)),
      [
        ['catalogue-item.changed', 'changed', 'AVAILABLE', 'AVAILABLE', 3],
        ['catalogue-item.changed', 'changed', 'AVAILABLE', 'UNAVAILABLE', 2],
        ['annotation.changed', 'deleted', null, null, 2]
      ]
    )
  })

  t.test('is rejected a second time, for an undo, and when a later import exists', async (t) => {
    const url = await existing()
    const made = await importRows(clerk, { Devices: deviceRows('C') }, url)
    const later = await importRows(clerk, { Devices: deviceRows('D') }, url)
    const refusalOf = async (id: string) => outcome(await undoImport(clerk, id))
    t.equal(await refusalOf(made.import), '409 import-not-undoable')
    const undone = (await undoImport(clerk, later.import)).body
    for (const id of [later.import, undone.id, made.import])
      t.equal(await refusalOf(id), '409 import-not-undoable')
    t.same(
      (await historyOf(clerk, url)).map(({ undoable }) => undoable),
      [false, false, false, false]
    )
  })

  t.test('is rejected when the catalogue or an item of it changed since', async (t) => {
    const change: Record<string, (url: string, id: string) => Promise<unknown>> = {
      async 'an item of the import'(_, id) {
        const path = `${api}/catalogue-item/${id}`
        await clerk.put(path, (await clerk.get(path, 200)).body, 204)
      },
      'a new item': (url) =>
        clerk.create(`${api}/catalogue-item`, {
          ...{ catalogueItemType: 'DeviceModel', catalogue: url, name: 'R', manufacturer: 'M', model: 'M' }
        }),
      'the catalogue': async (url) =>
        clerk.put(pathOf(url), { ...(await clerk.get(pathOf(url), 200)).body, name: 'Third' }, 204)
    }
    for (const [what, run] of Object.entries(change)) {
      const url = await existing()
      const made = await importRows(clerk, { Devices: [device('A', { Name: 'Second' }), device('C')] }, url)
      await run(url, (await itemsOf(clerk, url))[0].id)
      const before = await contentOf(app.sql)
      const refused = await undoImport(clerk, made.import)
      t.equal(outcome(refused), '409 catalogue-changed', what)
      t.match(refused.body.detail, /import a workbook that was exported then/)
      t.same(await contentOf(app.sql), before, `${what}: nothing is written`)
    }
  })

  t.test('ignores orders, lists of other buyers, and changed annotations', async (t) => {
    const url = await existing()
    const made = await importRows(
      clerk,
      { Devices: deviceRows('C'), Annotations: [annotation('A', { Annotation: 'second' })] },
      url
    )
    const created = (await itemsOf(clerk, url)).find(({ name }) => name === 'Device C')
    const item = urlOf(created.id)
    const entry = await clerk.create(`${api}/white-list`, { buyer, item })
    const order = await w.createDraft()
    const line = await w.addLine(order, { item })
    await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    const list = `${api}/annotations?catalogue=${encodeURIComponent(url)}`
    const [second] = (await clerk.get(`${list}&name=second`, 200)).body
    await clerk.put(`${api}/annotation/${second.id}`, { ...second, name: 'third' }, 204)
    t.equal((await undoImport(clerk, made.import)).status, 200)
    t.match((await w.nurse.get(pathOf(line), 200)).body, { item, status: { code: 'SUBMITTED' } })
    await provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)
    const deliveredBy = async (by: string) => (await w.nurse.get(pathOf(by), 200)).body.device
    t.equal(created.identifiers.length, 1)
    t.same((await deliveredBy(line)).identifiers, created.identifiers, 'a recall finds the device')
    const replacement = await submittedLine(w, {
      ...{ action: 'REPLACE', item: await w.addService() },
      relatedTo: line
    })
    await provider.patch(pathOf(replacement), transitionTo('FULFILLED'), 204)
    t.match(await deliveredBy(replacement), { item, identifiers: created.identifiers })
    t.equal((await clerk.get(pathOf(entry))).status, 200)
    t.equal((await clerk.get(list, 200)).body.length, 1, 'the annotation of the first import')
  })

  t.test('returns a catalogue to its former seller, if the caller may change those of both', async (t) => {
    const url = await existing()
    const other = await clerk.create(`${orders}/party/`, {
      ...{ name: 'Other seller', allowedRoles: ['SELLER'], organization: organization('other-provider') }
    })
    await clerk.create(`${orders}/contract`, { ...contract(w), seller: other })
    const made = await importRows(
      clerk,
      { Catalogue: [catalogueRow({ Name: `List ${number}`, Seller: 'Other seller' })] },
      url
    )
    t.match((await clerk.get(pathOf(url), 200)).body, { seller: other })
    t.equal(outcome(await undoImport(w.otherProvider, made.import)), '403 forbidden')
    t.match((await clerk.get(pathOf(url), 200)).body, { seller: other })
    t.equal((await undoImport(clerk, made.import)).status, 200)
    t.match((await clerk.get(pathOf(url), 200)).body, { seller: w.seller })
  })

  t.test('is rejected after 30 days, and its data is deleted', async (t) => {
    const url = await existing()
    const made = await importRows(clerk, { Devices: deviceRows('C') }, url)
    await app.sql`update catalogue_imports set recorded_at = recorded_at - interval '30 days' where catalogue_id = (
      select catalogue_id from catalogue_imports where id = ${made.import})`
    t.equal(outcome(await undoImport(clerk, made.import)), '409 import-not-undoable')
    t.equal((await historyOf(clerk, url))[0].undoable, false)
    await existing()
    t.match(await app.sql`select former, created from catalogue_imports where id = ${made.import}`, [
      { former: null, created: null }
    ])
  })
})
