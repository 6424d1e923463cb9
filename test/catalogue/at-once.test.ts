import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { CatalogueContent } from '../../src/catalogue/content/catalogue-content.js'
import { type ImportReport, importCatalogue } from '../../src/catalogue/content/import-catalogue.js'
import { newId } from '../../src/db/unit-of-work.js'
import type { Call } from '../../src/platform/auth/call.js'
import { Deadline } from '../../src/platform/concurrency/deadline.js'
import { FieldErrors, type Problem } from '../../src/platform/errors/problem.js'
import { testApp } from '../fixtures/app.js'
import { countWaiting } from '../fixtures/distributed.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, pathOf, world } from '../fixtures/world.js'

const idOf = (url: string) => pathOf(url).split('/').at(-1) ?? ''
const omitted = { omitted: [], identifierColumnCount: 10 }

t.test('concurrent changes of catalogues', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk } = w
  const call = (): Call => ({
    caller: {
      userType: 'AdministrativeClerk',
      userId: 'c',
      name: 'c',
      organization: undefined,
      permissions: new Set(),
      token: ''
    },
    scope: 'any',
    auditContext: {} as Call['auditContext'],
    deadline: new Deadline(60_000)
  })

  /** Imports devices with these names as identifiers. Returns the report or the problem code. */
  function imported(
    id: string,
    {
      devices = [],
      services = [],
      seller = w.seller
    }: { devices?: string[]; services?: [name: string, device: string][]; seller?: string }
  ): Promise<ImportReport | string> {
    const common = { description: null, status: 'AVAILABLE', version: null, ...omitted }
    const identified = (name: string) => ({
      name,
      identifiers: [{ system: 'urn:no', value: name, assigner: null }]
    })
    const content: CatalogueContent = {
      catalogue: { identifiers: [], seller, name: 'Devices', status: 'ACTIVE', ...omitted },
      items: [
        ...devices.map((name) => ({
          ...common,
          ...identified(name),
          type: 'DeviceModel' as const,
          relatedTo: null,
          manufacturer: 'Maker',
          model: 'Model',
          serviceType: null
        })),
        ...services.map(([name, device]) => ({
          ...common,
          ...identified(name),
          type: 'Service' as const,
          serviceType: 'REPAIR',
          manufacturer: null,
          model: null,
          relatedTo: { system: 'urn:no', value: device }
        }))
      ],
      annotations: [],
      whiteList: []
    }
    return importCatalogue(app.app, call(), new FieldErrors(), content, {
      id,
      source: { id: newId(), fileName: null },
      dryRun: false,
      toResult: (report) => report
    }).catch((refusal: Problem) => refusal.code)
  }

  const newCatalogue = (seller = w.seller) =>
    clerk.create(`${catalogue}/catalogue`, { seller, name: 'Devices', status: 'ACTIVE' })
  const device = (list: string, name: string) =>
    clerk.create(`${catalogue}/catalogue-item`, {
      catalogueItemType: 'DeviceModel',
      catalogue: list,
      name,
      manufacturer: 'Maker',
      model: 'Model',
      identifiers: [{ system: 'urn:no', value: name }]
    })
  const service = (list: string, relatedTo: string) =>
    clerk.post(`${catalogue}/catalogue-item`, {
      catalogueItemType: 'Service',
      catalogue: list,
      name: 'Service',
      serviceType: 'REPAIR',
      relatedTo
    })
  /** Relates an existing service to a device. */
  const services = new Map<string, string>()
  async function replacedService(list: string, relatedTo: string) {
    const body = { catalogueItemType: 'Service', catalogue: list, name: 'Service', serviceType: 'REPAIR' }
    return clerk.put(pathOf(services.get(list) ?? ''), { ...body, relatedTo })
  }
  async function newCatalogueWithService() {
    const list = await newCatalogue()
    const body = { catalogueItemType: 'Service', catalogue: list, name: 'Service', serviceType: 'REPAIR' }
    services.set(list, await clerk.create(`${catalogue}/catalogue-item`, body))
    return list
  }
  const sellTo = (list: string, seller: string) =>
    clerk.put(`${catalogue}/catalogue`, { id: idOf(list), seller, name: 'Devices', status: 'ACTIVE' })

  /**
   * Makes two changes meet: the first runs until it waits for the lock on a table; then the second
   * runs until it waits too or is done.
   */
  async function meet<A, B>(
    lock: string,
    first: () => Promise<A>,
    second: () => Promise<B>
  ): Promise<[A, B]> {
    const under = await app.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${lock}`)
      const one = first()
      while ((await countWaiting(app.sql)) < 1) await pause(5)
      let isDone = false
      const two = second().finally(() => {
        isDone = true
      })
      while (!isDone && (await countWaiting(app.sql)) < 2) await pause(5)
      return { one, two }
    })
    return [await under.one, await under.two]
  }

  /** Whether every service relates to a device model of its own seller. */
  const related = async () => {
    const [row] = await app.sql`
      select count(*)::int as strays from catalogue_items s join catalogues of_s on of_s.id = s.catalogue_id
      join catalogue_items d on d.id = s.related_to_id join catalogues of_d on of_d.id = d.catalogue_id
      where of_s.seller_id <> of_d.seller_id`
    return row?.strays === 0
  }

  t.test('the second of two imports of a catalogue sees the rows of the first', async (t) => {
    const id = idOf(await newCatalogue())
    const run = () => imported(id, { devices: ['twin'] })
    const reports = await meet('item_identifiers in exclusive mode', run, run)
    t.match(reports, [{ items: { created: 1, unchanged: 0 } }, { items: { created: 0, unchanged: 1 } }])
  })

  t.test('the second of two items with one identifier is refused', async (t) => {
    const list = await newCatalogue()
    const create = () =>
      clerk.post(`${catalogue}/catalogue-item`, {
        catalogueItemType: 'DeviceModel',
        catalogue: list,
        name: 'D',
        manufacturer: 'M',
        model: 'O',
        identifiers: [{ system: 'urn:no', value: 'one' }]
      })
    const responses = await meet('item_identifiers in exclusive mode', create, create)
    t.same(responses.map(outcome).sort(), ['201', '409 duplicate-identifier'])
  })

  let count = 0
  const relations: [what: string, relate: (mine: string, item: string, name: string) => Promise<unknown>][] =
    [
      ['an item', async (mine, item) => outcome(await service(mine, item))],
      ['a replaced item', async (mine, item) => outcome(await replacedService(mine, item))],
      ['an import', (mine, _item, name) => imported(idOf(mine), { services: [['service', name]] })]
    ]
  const sales: [what: string, sell: (list: string) => Promise<unknown>][] = [
    ['a replacement', async (list) => outcome(await sellTo(list, w.otherSeller))],
    ['an import', (list) => imported(idOf(list), { seller: w.otherSeller })]
  ]
  const isWritten = (response: unknown) => typeof response === 'object' || /^20/.test(String(response))

  for (const [what, relate] of relations)
    for (const [how, sell] of sales) {
      t.test(`while ${what} relates to a device, ${how} cannot move it to another seller`, async (t) => {
        const [mine, theirs] = [await newCatalogueWithService(), await newCatalogue()]
        const name = `device ${++count}`
        const item = await device(theirs, name)
        const [made, sold] = await meet(
          'catalogue_items in share mode',
          () => relate(mine, item, name),
          () => sell(theirs)
        )
        t.ok(isWritten(made), JSON.stringify(made))
        t.match(String(sold), /fixed-seller/)
        t.ok(await related())
      })

      t.test(`while ${how} moves a device to another seller, ${what} cannot relate to it`, async (t) => {
        const [mine, theirs] = [await newCatalogueWithService(), await newCatalogue()]
        const name = `device ${++count}`
        const item = await device(theirs, name)
        const [sold, made] = await meet(
          'catalogues in share mode',
          () => sell(theirs),
          () => relate(mine, item, name)
        )
        t.ok(isWritten(sold), JSON.stringify(sold))
        t.match(String(made), /busy|dangling-reference/)
        t.ok(await related())
      })
    }
})
