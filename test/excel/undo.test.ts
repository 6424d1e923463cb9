import t from 'tap'
import { ofOneServer, testApp } from '../fixtures/app.js'
import { rowFor } from '../fixtures/excel/catalogue-rows.js'
import { excel } from '../fixtures/excel/client.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { sheetsOf } from '../fixtures/excel/edit.js'
import { devices, historyOf, imported, itemsOf, obstaclesOf, textsAt, undo } from '../fixtures/excel/undo.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue as api, moveTo, pathOf, world } from '../fixtures/world.js'

const { Catalogue: catalogueRow, Devices: device, Services: service, Annotations: annotation } = rowFor

// A distributed database undoes no import: undo-distributed.test.ts.
t.test('the undo of an import', ofOneServer, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, provider, buyer } = w
  const exportOf = async (url: string) =>
    sheetsOf((await clerk.get(`${excel}/catalogue/${url.split('/').at(-1)}`, 200)).body)
  const urlOf = (id: string) => `${new URL(w.monitor).origin}${api}/catalogue-item/${id}`
  const idsOf = async (url: string) => (await itemsOf(clerk, url)).map(({ id }) => id)
  let number = 0
  /** A catalogue of two devices and a service, not imported by the last import. */
  const existing = async () => {
    const name = `List ${++number}`
    const { catalogue } = await imported(clerk, {
      Catalogue: [catalogueRow({ Name: name, 'Identifier system 1': 'urn:list', 'Identifier 1': name })],
      Devices: [device('A', { 'Identifier system 2': 'urn:more', 'Identifier 2': 'A2' }), device('B')],
      Services: [service('S', { 'For device: identifier': 'A' })],
      Annotations: [annotation('A')]
    })
    return catalogue as string
  }

  t.test('restores items, the catalogue, annotations and white lists', async (t) => {
    const url = await existing()
    const ids = await idsOf(url)
    const urls = [url, ...ids.map(urlOf)]
    const [before, sheets] = [await textsAt(clerk, urls), await exportOf(url)]
    const annotations = async () =>
      (await clerk.get(`${api}/annotations?catalogue=${encodeURIComponent(url)}`, 200)).body
    const annotated = await annotations()
    const made = await imported(
      clerk,
      {
        Catalogue: [catalogueRow({ Name: 'Another name', Status: 'INACTIVE' })],
        Devices: [
          device('A', { Name: 'Renamed', Status: 'DISCONTINUED', Description: 'ærø "\\ 😀' }),
          device('C')
        ],
        Services: [service('S', { 'For device: identifier': 'C' }), service('T')],
        Annotations: [annotation('A', { Annotation: 'second' }), annotation('C')]
      },
      url
    )
    t.match(made, { catalogueChange: 'changed', annotations: { created: 2 } })
    t.not(JSON.stringify(await textsAt(clerk, urls)), JSON.stringify(before))
    const undone = await undo(clerk, made.import)
    t.match(undone, {
      status: 200,
      body: { undoes: made.import, undoable: false, catalogueChange: 'changed' }
    })
    t.same(undone.body.items, { created: 0, changed: made.changed, withdrawn: made.created })
    t.same(await textsAt(clerk, urls), before, 'byte by byte')
    t.same(await exportOf(url), sheets)
    t.same(await annotations(), annotated)
    const created = (await itemsOf(clerk, url)).filter(({ id }) => !ids.includes(id))
    t.equal(created.length, made.created)
    for (const each of created) t.match(each, { status: 'UNAVAILABLE', identifiers: [] })
    await textsAt(
      clerk,
      created.map(({ id }) => urlOf(id))
    )
    t.match(await imported(clerk, { Devices: devices('B') }, url), { import: null, created: 0, changed: 0 })
  })

  t.test('lets a corrected workbook be imported as if it had not been', async (t) => {
    const url = await existing()
    const wrong = await imported(clerk, { Services: [service('N')] }, url)
    t.equal((await undo(clerk, wrong.import)).status, 200)
    const right = await imported(clerk, { Devices: devices('N') }, url)
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
    const made = await imported(provider, { Devices: devices('X', 'Y') })
    t.equal((await undo(provider, made.import)).status, 200)
    t.match((await provider.get(pathOf(made.catalogue), 200)).body, { status: { code: 'INACTIVE' } })
    t.same(
      (await itemsOf(provider, made.catalogue)).map(({ status }) => status),
      ['UNAVAILABLE', 'UNAVAILABLE']
    )
    t.equal((await exportOf(made.catalogue)).Devices?.length, 1, 'headers only')
  })

  t.test('is written to the ledger of events', async (t) => {
    const url = await existing()
    const made = await imported(
      clerk,
      { Devices: [device('B', { Name: 'New' }), device('C')], Annotations: [annotation('B')] },
      url
    )
    const count = async () => Number((await app.sql`select count(*) as n from events`)[0]?.n)
    const before = await count()
    await undo(clerk, made.import)
    const events =
      await app.sql`select type, change, old_status, new_status, sequence from events order by position offset ${before}`
    t.same(
      events.map(({ type, change, old_status, new_status, sequence }) => [
        type,
        change,
        old_status,
        new_status,
        sequence
      ]),
      [
        ['catalogue-item.changed', 'changed', 'AVAILABLE', 'UNAVAILABLE', 2],
        ['catalogue-item.changed', 'changed', 'AVAILABLE', 'AVAILABLE', 3],
        ['annotation.changed', 'deleted', null, null, 2]
      ]
    )
  })

  t.test('is refused a second time, for an undo, and when a later import exists', async (t) => {
    const url = await existing()
    const made = await imported(clerk, { Devices: devices('C') }, url)
    const later = await imported(clerk, { Devices: devices('D') }, url)
    const refused = await undo(clerk, made.import)
    t.equal(outcome(refused), '409 import-not-undoable')
    t.same(obstaclesOf(refused), ['later-import'])
    const undone = await undo(clerk, later.import)
    t.same(obstaclesOf(await undo(clerk, later.import)), ['already-undone'])
    t.same(obstaclesOf(await undo(clerk, undone.body.id)), ['is-undo'])
    t.same(obstaclesOf(await undo(clerk, made.import)), ['later-import'])
    t.same(
      (await historyOf(clerk, url)).map(({ undoable }) => undoable),
      [false, false, false, false]
    )
  })

  t.test('is refused when an order has what it created or changed', async (t) => {
    const url = await existing()
    const names = async () => new Map((await itemsOf(clerk, url)).map(({ name, id }) => [name, urlOf(id)]))
    const list = (item: string | undefined) => clerk.create(`${api}/white-list`, { buyer, item })
    const [a, b] = [(await names()).get('Device A'), (await names()).get('Device B')]
    for (const item of [a, b]) await list(item)
    const order = await w.createDraft()
    for (const item of [a, b]) await w.addLine(order, { item })
    await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
    const draft = await w.createDraft()

    const made = await imported(clerk, { Devices: [device('B', { Name: 'New' }), device('C')] }, url)
    const c = (await names()).get('Device C')
    await list(c)
    const line = await w.addLine(draft, { item: c })
    const refused = await undo(clerk, made.import)
    t.match(refused, { status: 409, body: { total: 1, obstacles: [{ code: 'ordered', resource: c }] } })
    await w.nurse.delete(pathOf(line), 204)
    const other = await w.addLine(draft, { item: b })
    t.match((await undo(clerk, made.import)).body, { obstacles: [{ code: 'ordered', resource: b }] })
    await w.nurse.delete(pathOf(other), 204)
    await w.addLine(draft, { item: a })
    await w.provider.patch(pathOf(order), moveTo('ACCEPTED'), 204)
    await app.sql`update orders set submitted_at = submitted_at - interval '2 minutes' where submitted_at is not null`
    t.equal(
      (await undo(clerk, made.import)).status,
      200,
      'an earlier order does not matter, nor does another item'
    )
  })

  t.test('is refused when something of it changed since', async (t) => {
    const change: [string, (url: string, ids: ReadonlyMap<string, string>) => Promise<unknown>, string[]][] =
      [
        [
          'an item',
          async (_, ids) => {
            const path = `${api}/catalogue-item/${ids.get('Device C')}`
            await clerk.put(path, (await clerk.get(path, 200)).body, 204)
          },
          ['changed']
        ],
        [
          'an annotation',
          async (url) => {
            const { body } = await clerk.get(
              `${api}/annotations?catalogue=${encodeURIComponent(url)}&name=second`,
              200
            )
            await clerk.put(`${api}/annotation/${body[0].id}`, { ...body[0], name: 'third' }, 204)
          },
          ['changed']
        ],
        [
          'a service of another import',
          (url, ids) =>
            clerk.create(`${api}/catalogue-item`, {
              ...{ catalogueItemType: 'Service', catalogue: url, name: 'R', serviceType: 'REPAIR' },
              relatedTo: urlOf(ids.get('Device C') ?? '')
            }),
          ['related']
        ],
        [
          'the catalogue',
          async (url) =>
            clerk.put(pathOf(url), { ...(await clerk.get(pathOf(url), 200)).body, name: 'Third' }, 204),
          ['changed']
        ],
        [
          'an identifier',
          (url) =>
            clerk.create(`${api}/catalogue-item`, {
              ...{
                catalogueItemType: 'DeviceModel',
                catalogue: url,
                name: 'R',
                manufacturer: 'M',
                model: 'M'
              },
              identifiers: [{ system: 'urn:more', value: 'A2' }]
            }),
          ['identifier-taken']
        ]
      ]
    for (const [what, run, wanted] of change) {
      const url = await existing()
      const made = await imported(
        clerk,
        {
          Catalogue: [catalogueRow({ Name: `Other ${number}` })],
          Devices: [device('A', { 'Identifier system 2': null, Name: 'Second' }), device('C')],
          Annotations: [annotation('A', { Annotation: 'second' })]
        },
        url
      )
      await run(url, new Map((await itemsOf(clerk, url)).map(({ name, id }) => [name, id])))
      const before = await rowsIn(app.sql)
      const refused = await undo(clerk, made.import)
      t.equal(outcome(refused), '409 import-not-undoable', what)
      t.same(obstaclesOf(refused), wanted, what)
      t.same(await rowsIn(app.sql), before, `${what}: nothing is written`)
    }
  })

  t.test('of a new catalogue is refused when an item was added', async (t) => {
    const made = await imported(clerk, { Devices: devices('X') })
    await clerk.create(`${api}/catalogue-item`, {
      ...{
        catalogueItemType: 'DeviceModel',
        catalogue: made.catalogue,
        name: 'R',
        manufacturer: 'M',
        model: 'M'
      }
    })
    t.same(obstaclesOf(await undo(clerk, made.import)), ['added'])
  })

  t.test('names the first hundred obstacles', async (t) => {
    const many = Array.from({ length: 101 }, (_, at) => `M${at}`)
    const made = await imported(clerk, { Devices: devices(...many) })
    for (const { id } of await itemsOf(clerk, made.catalogue)) {
      const path = `${api}/catalogue-item/${id}`
      await clerk.put(path, (await clerk.get(path, 200)).body, 204)
    }
    const { body } = await undo(clerk, made.import)
    t.match(body, { total: 101, code: 'import-not-undoable' })
    t.equal(body.obstacles.length, 100)
  })

  t.test('is refused after 30 days', async (t) => {
    const url = await existing()
    const made = await imported(clerk, { Devices: devices('C') }, url)
    await app.sql`update catalogue_imports set recorded_at = recorded_at - interval '30 days' where catalogue_id = (
      select catalogue_id from catalogue_imports where id = ${made.import})`
    await existing()
    t.same(obstaclesOf(await undo(clerk, made.import)), ['too-old'])
    t.equal((await historyOf(clerk, url))[0].undoable, false)
  })

  t.test('runs once for its Idempotency-Key', async (t) => {
    const url = await existing()
    const made = await imported(clerk, { Devices: devices('C') }, url)
    const send = () =>
      clerk.send({
        ...{ method: 'POST', url: `${excel}/import/${made.import}/undo` },
        headers: { 'idempotency-key': 'undo-once' }
      })
    const [first, second] = [await send(), await send()]
    t.equal(first.status, 200)
    t.same(second.body, first.body)
  })
})
