import t from 'tap'
import { secondServer, testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { contract, device } from '../fixtures/routes/bodies.js'
import {
  catalogue,
  orders,
  organization,
  party,
  pathOf,
  patient,
  transitionTo,
  withQuery
} from '../fixtures/world.js'

const bytes = 6000

/** Texts with and without characters that JSON escapes. */
const texts = ['x'.repeat(1500), '\u0001"\\\n'.repeat(100), 'æ🩺'.repeat(200), '', 'x'.repeat(3000), 'short']

interface Page {
  body: { id: string }[]
  bytes: number
  /** The audit record of the page. */
  recorded: { orders: string[] } | undefined
}

t.test('a page of any list stays within its byte limit and no entry is lost', async (t) => {
  const { app, w } = await testWorld(t)
  const { nurse, provider, clerk, buyer, seller } = w
  const narrow = await secondServer(t, app, {}, { limits: { pageBytes: bytes } })

  const account = await clerk.create(`${orders}/party`, party('region', 'ACCOUNTING'))
  for (const [at, name] of texts.entries()) {
    const identifiers = [{ system: 'urn:x', value: `${name.slice(0, 1000)} ${at}` }]
    await clerk.create(`${orders}/party`, { ...party('more', 'SELLER'), name })
    const buyers = [buyer, w.otherBuyer].slice(at % 2)
    await clerk.create(`${orders}/contract`, { ...contract(w), name, account, buyer: buyers })
    await clerk.create(`${catalogue}/catalogue`, { name, seller, identifiers })
    const texts = { name, model: name, description: name }
    const item = await clerk.create(`${catalogue}/catalogue-item`, { ...device(w), ...texts, identifiers })
    await clerk.create(`${catalogue}/white-list`, { buyer, item })
    await nurse.create(`${catalogue}/black-list`, { patient: patient('p9'), item })
    for (const code of ['a', 'b'])
      await app.sql`insert into annotations (id, item_id, buyer_id, name, system, code, display, created_at)
        values (gen_random_uuid(), ${idOf(item)}, ${idOf(buyer)}, 'n', 'urn:x', ${code}, ${name.slice(0, 500)}, now())`
    const order = await w.createDraft({ name, identifiers, notes: [{ note: name }, { note: name }] })
    for (let line = 0; line < 5; line++) await w.addLine(order)
    await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  }

  async function pagesOf(caller: Caller, url: string): Promise<Page[]> {
    const pages: Page[] = []
    for (const { body, headers } of await pagesAt(caller, url)) {
      const id = headers['x-request-id'] ?? ''
      const [recorded] = await app.sql`select orders from audit_events where request_id = ${id}`
      const bytes = Buffer.byteLength(JSON.stringify(body))
      pages.push({ body, bytes, recorded: recorded as Page['recorded'] })
    }
    return pages
  }

  const [order = ''] = idsOf((await nurse.get(`${orders}/orders`, 200)).body)
  const orderUrl = `${w.monitor.replace(/\/ssl-.*/, '')}${orders}/order/${order}`
  const callersOf = (as: typeof app.as) => ({
    nurse: as('MonitoringResponsible', organization('region')),
    clerk: as('AdministrativeClerk', organization('region')),
    provider: as('Provider', organization('provider'))
  })
  const [wide, small] = [callersOf(app.as), callersOf(narrow.as)]
  const lists = {
    nurse: [
      `${orders}/orders`,
      `${orders}/order-lines`,
      withQuery(`${orders}/trace-lines`, { order: orderUrl }),
      withQuery(`${orders}/audit-events`, { to: new Date().toISOString() }),
      withQuery(`${catalogue}/black-lists`, { patient: patient('p9') })
    ],
    provider: [
      withQuery(`${orders}/orders`, { status: 'accepted' }),
      withQuery(`${catalogue}/catalogue-items`, { catalogue: w.catalogue })
    ],
    clerk: [
      `${orders}/parties`,
      `${orders}/contracts`,
      `${catalogue}/catalogues`,
      `${catalogue}/catalogue-items`,
      withQuery(`${catalogue}/catalogue-items`, { buyer: buyer }),
      `${catalogue}/annotations`,
      `${catalogue}/white-lists`
    ]
  }
  for (const [by, url] of (['nurse', 'provider', 'clerk'] as const).flatMap((by) =>
    lists[by].map((url) => [by, url] as const)
  )) {
    const [whole, ...others] = await pagesOf(wide[by], url)
    t.same(others, [], url)
    const pages = await pagesOf(small[by], url)
    t.same(
      pages.flatMap((page) => page.body),
      whole?.body,
      `${url}: everything, once, in order`
    )
    t.ok(pages.length > 1 || (whole?.bytes ?? 0) <= bytes, `${url}: pages`)
    for (const [at, page] of pages.entries()) {
      t.ok(page.bytes <= bytes || page.body.length === 1, `${url}: ${page.bytes} bytes`)
      const further = pages[at + 1]?.body[0]
      // Without escapes, a page ends only where the next entry does not fit.
      if (/orders|items/.test(url) && further && !JSON.stringify([page.body, further]).includes('\\u0001'))
        t.ok(page.bytes + Buffer.byteLength(JSON.stringify(further)) > bytes * 0.9, `${url}: no earlier`)
      if (/\/orders/.test(url))
        t.same(page.recorded?.orders.sort(), idsOf(page.body).sort(), 'the record has the orders shown')
    }
  }
})
