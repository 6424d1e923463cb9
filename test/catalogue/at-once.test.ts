import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { type Cells, rowFor, type SheetName, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { related } from '../fixtures/excel/faulty-rows.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { device } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { catalogue, organization, pathOf, service } from '../fixtures/world.js'

t.test('concurrent changes of catalogues', async (t) => {
  const { app, w } = await testWorld(t, { CLERK_SCOPE: 'any' })
  const { clerk } = w

  /** Imports rows into a catalogue. */
  const imported = (caller: Caller, list: string, rows: Partial<Record<SheetName, Cells[]>>) =>
    upload(caller, 'PUT', `/catalogue/${idOf(list)}?confirm=true`, sheetsWith(rows))
  // Each organization has one import at a time.
  const colleague = app.as('AdministrativeClerk', organization('other-region'), { name: 'Clara Clerk' })
  const otherSeller = rowFor.Catalogue({ Seller: 'other-provider' })
  /** The outcome of an import, with the codes of the faults. */
  const outcomeOf = (response: ApiResponse) =>
    [outcome(response), ...(response.body.faults ?? []).map(({ code }: { code: string }) => code)].join(' ')

  const newCatalogue = (seller = w.seller) =>
    clerk.create(`${catalogue}/catalogue`, { seller, name: 'Devices', status: 'ACTIVE' })
  const items = `${catalogue}/catalogue-item`
  const deviceIn = (list: string, value: string) => ({
    ...device(w),
    ...{ catalogue: list, identifiers: [{ system: 'urn:no', value }] }
  })
  const serviceIn = (list: string, relatedTo?: string) => service(list, { relatedTo })
  /** The service of a catalogue. */
  const services = new Map<string, string>()
  async function newCatalogueWithService() {
    const list = await newCatalogue()
    services.set(list, await clerk.create(items, serviceIn(list)))
    return list
  }
  const sellTo = (list: string, seller: string) =>
    clerk.put(`${catalogue}/catalogue`, { id: idOf(list), seller, name: 'Devices', status: 'ACTIVE' })

  /**
   * Runs two changes at the same time: the first until it waits for the lock on a table, then the
   * second until it also waits or ends.
   */
  async function meet<A, B>(
    lock: string,
    first: () => Promise<A>,
    second: () => Promise<B>
  ): Promise<[A, B]> {
    const under = await app.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${lock}`)
      const one = first()
      await until(async () => (await countWaiting(app.sql)) >= 1)
      let isDone = false
      const two = second().finally(() => {
        isDone = true
      })
      while (!isDone && (await countWaiting(app.sql)) < 2) await pause(5)
      return { one, two }
    })
    return [await under.one, await under.two]
  }

  /** Whether every service relates to a device model of the same seller. */
  const areRelated = async () => {
    const [row] = await app.sql`
      select count(*)::int as strays from catalogue_items s join catalogues of_s on of_s.id = s.catalogue_id
      join catalogue_items d on d.id = s.related_to_id join catalogues of_d on of_d.id = d.catalogue_id
      where of_s.seller_id <> of_d.seller_id`
    return row?.strays === 0
  }

  t.test('the second of two imports of a catalogue sees the rows of the first import', async (t) => {
    const list = await newCatalogue()
    const run = (caller: Caller) => () => imported(caller, list, { Devices: [rowFor.Devices('twin')] })
    const responses = await meet('item_identifiers in exclusive mode', run(clerk), run(colleague))
    t.match(responses, [{ body: { created: 1, unchanged: 0 } }, { body: { created: 0, unchanged: 1 } }])
  })

  t.test('the second of two items with one identifier is rejected', async (t) => {
    const list = await newCatalogue()
    const create = () => clerk.post(items, deviceIn(list, 'one'))
    const responses = await meet('item_identifiers in exclusive mode', create, create)
    t.same(responses.map(outcome).sort(), ['201', '409 duplicate-identifier'])
  })

  let count = 0
  const relations: [what: string, relate: (mine: string, item: string, name: string) => Promise<string>][] = [
    ['an item', async (mine, item) => outcome(await clerk.post(items, serviceIn(mine, item)))],
    [
      'a replaced item',
      async (mine, item) => outcome(await clerk.put(pathOf(services.get(mine) ?? ''), serviceIn(mine, item)))
    ],
    [
      'an import',
      async (mine, _item, name) => {
        const row = rowFor.Services('service', related('urn:no', name))
        return outcomeOf(await imported(clerk, mine, { Services: [row] }))
      }
    ]
  ]
  const sales: [what: string, sell: (list: string) => Promise<string>][] = [
    ['a replacement', async (list) => outcome(await sellTo(list, w.otherSeller))],
    ['an import', async (list) => outcomeOf(await imported(colleague, list, { Catalogue: [otherSeller] }))]
  ]
  for (const [what, relate] of relations)
    for (const [how, sell] of sales) {
      t.test(`while ${what} relates to a device, ${how} cannot move it to another seller`, async (t) => {
        const [mine, theirs] = [await newCatalogueWithService(), await newCatalogue()]
        const name = `device ${++count}`
        const item = await clerk.create(items, deviceIn(theirs, name))
        const [made, sold] = await meet(
          'catalogue_items in share mode',
          () => relate(mine, item, name),
          () => sell(theirs)
        )
        t.match(made, /^20/)
        t.match(sold, /fixed-seller/)
        t.ok(await areRelated())
      })

      t.test(`while ${how} moves a device to another seller, ${what} cannot relate to it`, async (t) => {
        const [mine, theirs] = [await newCatalogueWithService(), await newCatalogue()]
        const name = `device ${++count}`
        const item = await clerk.create(items, deviceIn(theirs, name))
        const [sold, made] = await meet(
          'catalogues in share mode',
          () => sell(theirs),
          () => relate(mine, item, name)
        )
        t.match(sold, /^20/)
        t.match(made, /busy|dangling-reference/)
        t.ok(await areRelated())
      })
    }
})
