import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import t from 'tap'
import { type TestApp, testWorld } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { catalogueOf, town } from '../fixtures/clerks.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { catalogue, deviceModel, orders, party, pathOf, terms } from '../fixtures/world.js'

/* The rights of a clerk that change between the check of a request and its write. */

t.test('resources that change owner between check and write are not found', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk, account, buyer } = await town(app)
  const seller = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  const [from, to] = [
    await clerk.create(`${catalogue}/catalogue`, catalogueOf(seller)),
    await clerk.create(`${catalogue}/catalogue`, catalogueOf(seller))
  ]
  const scale = await clerk.create(`${catalogue}/catalogue-item`, deviceModel(from))
  const shared = await clerk.create(`${orders}/contract`, terms(w.seller, account, w.buyer))
  const book = await workbookOf(
    sheetsWith({ Catalogue: [rowFor.Catalogue({ Seller: 'workshop' })], Devices: [rowFor.Devices('N-1')] })
  )
  const giveCatalogue = () =>
    app.sql`update catalogues set seller_id = ${idOf(w.seller)} where id = ${idOf(from)}`
  const giveContract = () => w.clerk.put(pathOf(shared), terms(w.seller, w.account, w.buyer), 204)
  const rows: [what: string, give: () => PromiseLike<unknown>, write: () => Promise<ApiResponse>][] = [
    ['contract', giveContract, () => clerk.put(pathOf(shared), terms(w.otherSeller, account, buyer))],
    ['catalogue', giveCatalogue, () => clerk.put(pathOf(from), catalogueOf(seller))],
    ['item', giveCatalogue, () => clerk.put(pathOf(scale), deviceModel(to))],
    ['workbook', giveCatalogue, () => upload(clerk, 'PUT', `/catalogue/${idOf(from)}`, book)]
  ]
  for (const [what, give, write] of rows) {
    await app.sql`update catalogues set seller_id = ${idOf(seller)} where id = ${idOf(from)}`
    let before = {}
    const response = await beforeTransaction(
      app,
      async () => {
        await give()
        before = await contentOf(app.sql)
      },
      write
    )
    t.equal(outcome(response), '404 not-found', what)
    t.same(await contentOf(app.sql), before, 'nothing was written')
  }
})

/** Calls `race` before the transaction of the request begins, after the checks that precede it. */
async function beforeTransaction<T>(
  { app }: TestApp,
  race: () => PromiseLike<unknown>,
  request: () => Promise<T>
) {
  const db = app.db as unknown as PostgresJsDatabase
  const raceFirst = async (...args: Parameters<typeof db.transaction>) => {
    Object.assign(app, { db })
    await race()
    return db.transaction(...args)
  }
  const racing = new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? raceFirst : Reflect.get(target, name))
  })
  Object.assign(app, { db: racing })
  return request().finally(() => Object.assign(app, { db }))
}
