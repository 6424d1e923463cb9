import t, { type Test } from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import {
  changesOf,
  clerkOf,
  denied,
  device,
  granted,
  lasting,
  list,
  party,
  terms,
  town
} from '../fixtures/clerks.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { startIssuer } from '../fixtures/issuer.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { contentOf, writingNothing } from '../fixtures/routes/writes.js'
import { clerkFaults, withoutInstance } from '../fixtures/scope/clerk-writes.js'
import { catalogue, orders, organization, pathOf, world } from '../fixtures/world.js'

/**
 * An AdministrativeClerk changes resources that its organization takes part in or registered. The
 * region of the world registered every party.
 */

t.test('a contract gives access to the catalogues of its seller until the end of its last day', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, account, buyer } = await town(app)
  const clerks = ['town', 'region']
  t.same(await clerkFaults(app, clerks), [], 'without a contract')
  t.same(await changesOf(clerk, w), denied)

  const days = { start: [2030, 5, 1], end: [2030, 5, 10] }
  for (const parts of [terms(w.seller, account, w.buyer), terms(w.seller, w.account, w.otherBuyer, buyer)]) {
    const contract = await clerk.create(`${orders}/contract`, { ...parts, validityPeriod: days })
    for (const [date, wanted] of [
      ['2030-04-30', granted],
      ['2030-05-10', granted],
      ['2030-05-11', denied]
    ] as const) {
      const what = `as ${parts.account === account ? 'account' : 'buyer'} on ${date}`
      t.same(await clerkFaults(app, clerks, date), [], what)
      t.same(await changesOf(clerk, w), wanted, what)
    }
    await clerk.put(pathOf(contract), { ...parts, validityPeriod: lasting }, 204)
    t.same(await clerkFaults(app, clerks, '2030-05-11'), [], 'it can be prolonged')
    const past = { start: [2020, 1, 1], end: [2021, 1, 1] }
    // Without the day of the next contract, so that each contract grants access on its own.
    await clerk.put(pathOf(contract), { ...parts, validityPeriod: past }, 204)
    t.same(await changesOf(clerk, w), denied, 'it can be ended')
  }
})

t.test('a clerk changes what its organization registered, has, or has a contract about', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, buyer } = await town(app)
  const theirs = await clerk.create(`${orders}/party`, party('region', 'SELLER'))
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer, w.buyer))
  const clerks = ['region', 'town', 'provider']
  t.same(await clerkFaults(app, [...clerks, 'stranger', undefined]), [], 'parties with a registrant')

  await app.sql`update parties set registered_by = null`
  t.same(await clerkFaults(app, clerks), [], 'older parties, by a contract')
  await app.sql`update contracts set first_day = '2998-01-01', last_day = '2999-01-01'`
  t.same(await clerkFaults(app, clerks), [], 'by a contract that starts later')
  await app.sql`update contracts set first_day = '2020-01-01', last_day = '2021-01-01'`
  t.same(await clerkFaults(app, clerks), [], 'by a contract that has ended')

  t.test('a party keeps its organization', async (t) => {
    const moved = await w.clerk.put(pathOf(theirs), party('town', 'SELLER'))
    t.equal(outcome(moved), '422 fixed-organization /organization')
    t.equal(outcome(await w.nurse.get(`${orders}/orders?buyer=${encodeURIComponent(theirs)}`)), '200 none')
  })
})

t.test('only account and buyers create, delete and change contracts', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, account, buyer } = await town(app)
  // To be a buyer of one contract gives no access to others.
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer))
  const between = await clerk.post(`${orders}/contract`, terms(w.seller, w.account, w.buyer))
  t.match(between.body.errors, [{ pointer: '/buyer/0' }, { pointer: '/account' }])
  const taken = { id: idOf(w.contract), ...terms(w.seller, account, buyer) }
  t.equal(outcome(await clerk.put(`${orders}/contract`, taken)), '404 not-found', 'taken')
  const given = await w.clerk.put(pathOf(w.contract), terms(w.seller, account, buyer))
  t.equal(outcome(given), '422 dangling-reference /buyer/0', 'given away')
  const shared = await w.clerk.put(pathOf(w.contract), terms(w.seller, account, w.buyer))
  t.equal(outcome(shared), '204', 'shared')
  const own = await clerk.create(`${orders}/contract`, terms(w.seller, account, w.buyer))
  const both = await clerk.put(pathOf(own), { id: idOf(w.contract), ...terms(w.otherSeller, account, buyer) })
  t.equal(outcome(both), '400 conflicting-ids')
  t.same(await changesOf(clerk, { ...w, seller: w.otherSeller }), [denied[0], denied[0], ...granted.slice(2)])
})

t.test('resources are not moved into or out of visibility', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk } = await town(app)
  const seller = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  const own = await clerk.create(`${catalogue}/catalogue`, list(seller))
  const scale = await clerk.create(`${catalogue}/catalogue-item`, device(own))
  const service = (relatedTo: string) => ({
    catalogueItemType: 'Service',
    catalogue: own,
    name: 'Repair',
    serviceType: 'REPAIR',
    relatedTo
  })
  const book = await workbookOf(sheetsWith({ Devices: [rowFor.Devices('N-1')] }))
  const named = (name: string) =>
    workbookOf(
      sheetsWith({ Catalogue: [rowFor.Catalogue({ Seller: name })], Devices: [rowFor.Devices('N-1')] })
    )
  const mine = await named('workshop')
  const imported = (method: 'POST' | 'PUT', path: string, file: Buffer) => upload(clerk, method, path, file)
  const at = `/catalogue/${idOf(w.catalogue)}`
  const items = `${catalogue}/catalogue-items`
  const cases: { what: string; run: () => Promise<ApiResponse>; wanted: string }[] = [
    {
      what: 'a catalogue given away',
      run: () => clerk.put(pathOf(own), list(w.seller)),
      wanted: '422 dangling-reference /seller'
    },
    {
      what: 'a catalogue taken by the id in the body',
      run: () => clerk.put(`${catalogue}/catalogue`, { id: idOf(w.catalogue), ...list(seller) }),
      wanted: '404 not-found'
    },
    {
      what: 'two ids',
      run: () => clerk.put(pathOf(own), { id: idOf(w.catalogue), ...list(seller) }),
      wanted: '400 conflicting-ids'
    },
    {
      what: 'an item taken',
      run: () => clerk.put(pathOf(w.monitor), device(own)),
      wanted: '404 not-found'
    },
    {
      what: 'an item given away',
      run: () => clerk.put(pathOf(scale), device(w.catalogue)),
      wanted: '422 dangling-reference /catalogue'
    },
    {
      what: 'items of mixed sellers',
      run: () => clerk.post(items, [device(own), device(w.catalogue), device(own)]),
      wanted: '422 dangling-reference /1/catalogue'
    },
    {
      what: 'a service of a foreign device',
      run: () => clerk.post(`${catalogue}/catalogue-item`, service(w.monitor)),
      wanted: '422 dangling-reference /relatedTo'
    },
    ...['', '?dryRun=true'].flatMap((query) => [
      {
        what: `a workbook for a foreign seller ${query}`,
        run: () => imported('POST', `/catalogue${query}`, book),
        wanted: '422 faulty-workbook'
      },
      {
        what: `a workbook into a foreign catalogue ${query}`,
        run: () => imported('PUT', `${at}${query}`, mine),
        wanted: '404 not-found'
      }
    ]),
    {
      what: 'a workbook that gives the catalogue away',
      run: () => imported('PUT', `/catalogue/${idOf(own)}`, book),
      wanted: '422 faulty-workbook'
    }
  ]
  await writingNothing(t, app.sql, async () => {
    for (const { what, run, wanted } of cases) t.equal(outcome(await run()), wanted, what)
  })

  t.test('an import job follows the same rules', async (t) => {
    const content = async () =>
      Object.entries(await contentOf(app.sql)).filter(([table]) => !/^(imports$|events)/.test(table))
    const events = () => app.sql`select type, new_status from events order by position`
    const [before, eventsBefore] = [await content(), await events()]
    const begun = await upload(clerk, 'PUT', at, mine, { prefer: 'respond-async' })
    t.equal(begun.status, 202)
    let job = await clerk.get(pathOf(begun.headers.location ?? ''), 200)
    while (job.body.state === 'running') job = await clerk.get(pathOf(begun.headers.location ?? ''), 200)
    t.match(job.body, { state: 'failed', problem: { code: 'not-found' } })
    t.same(await content(), before, 'nothing was written')
    t.same(await events(), [...eventsBefore, { type: 'import.finished', new_status: 'failed' }])
  })

  t.test('a hidden resource gets the same response as a missing one', async (t) => {
    const blind = (url: string) => url.replace(idOf(url), unknownId)
    const pairs: { what: string; ask: (url: string) => Promise<ApiResponse>; url: string }[] = [
      {
        what: 'the account of a contract',
        ask: (url) => clerk.post(`${orders}/contract`, terms(w.seller, url, w.buyer)),
        url: w.account
      },
      {
        what: 'an account without the role',
        ask: (url) => clerk.post(`${orders}/contract`, terms(w.seller, url, w.buyer)),
        url: w.otherSeller
      },
      {
        what: 'a buyer of a contract, twice',
        ask: (url) => clerk.post(`${orders}/contract`, terms(w.seller, w.account, url, url)),
        url: w.buyer
      },
      { what: 'an item of another type', ask: (url) => clerk.put(pathOf(url), device(own)), url: w.repair },
      {
        what: 'a related item',
        ask: (url) => clerk.post(`${catalogue}/catalogue-item`, service(url)),
        url: w.monitor
      },
      {
        what: 'a catalogue of a workbook',
        ask: (url) => upload(clerk, 'PUT', `/catalogue/${idOf(url)}`, mine),
        url: w.catalogue
      }
    ]
    for (const { what, ask, url } of pairs)
      t.equal(withoutInstance(await ask(url)), withoutInstance(await ask(blind(url))), what)
    const faultOf = async (seller: string) =>
      (await imported('POST', '/catalogue', await named(seller))).body.faults[0]
    t.same({ ...(await faultOf('provider')), found: '' }, { ...(await faultOf('nobody at all')), found: '' })
  })
})

t.test('CLERK_SCOPE=any and the environments', async (t) => {
  const cases = async (t: Test, app: TestApp, who: Caller, wanted: readonly string[]) => {
    const w = await world(app)
    t.same(await changesOf(who, w), wanted)
    const contract = await who.post(`${orders}/contract`, terms(w.seller, w.account, w.buyer))
    t.equal(outcome(contract), wanted[0] === '201' ? '201' : '422 dangling-reference /buyer/0')
  }
  await t.test('CLERK_SCOPE=any gives a clerk access to all organizations', async (t) => {
    const app = await testApp(t, { CLERK_SCOPE: 'any' })
    await cases(t, app, clerkOf(app, 'nation'), granted)
    await cases(t, app, app.as('AdministrativeClerk'), granted)
    const registered = await app.sql`select distinct registered_by from parties`
    t.same([...registered], [{ registered_by: organization('region') }], 'the registrant is stored too')
    const other = clerkOf(app, 'nation')
    const w = await world(app)
    const note = { catalogueItem: w.monitor, buyer: w.buyer, name: 'n', value: { system: 's', code: 'c' } }
    t.equal(outcome(await other.post(`${catalogue}/annotation`, note)), '422 dangling-reference /buyer')
    t.equal(
      outcome(await other.post(`${catalogue}/white-list`, { buyer: w.buyer, item: w.monitor })),
      '422 dangling-reference /buyer',
      'annotations and lists still belong to the buyer'
    )
  })
  await t.test('in devtest a clerk without an organization has access to all', async (t) => {
    const app = await testApp(t)
    await cases(t, app, app.as('AdministrativeClerk'), granted)
    await cases(t, app, clerkOf(app, 'stranger'), denied)
  })
  await t.test('elsewhere a clerk without an organization needs CLERK_SCOPE=any', async (t) => {
    const issuer = await startIssuer(t)
    for (const [scope, wanted] of [
      ['own', '403 forbidden'],
      ['any', '400 invalid-body']
    ] as const) {
      const { as } = await testApp(t, {
        ENVIRONMENT: 'inttest',
        PUBLIC_URL: 'https://ssl.example',
        DATABASE_URL: 'postgres://nowhere/ssl',
        TOKEN_ISSUERS: issuer.url,
        CLERK_SCOPE: scope
      })
      const roles = ['Party.*', 'Contract.*', 'Catalogue.*', 'CatalogueItem.*']
      const authorization = await issuer.sign({ user_type: 'AdministrativeClerk', realm_access: { roles } })
      const call = async (method: 'POST' | 'PUT' | 'GET', url: string) =>
        outcome(
          await as().send({
            method,
            url,
            headers: { authorization },
            ...(method === 'GET' ? {} : { payload: [] })
          })
        ).replace(/ \/.*| $/, '')
      for (const path of [
        `${orders}/party`,
        `${orders}/contract`,
        `${catalogue}/catalogue`,
        `${catalogue}/catalogue-item`
      ])
        for (const method of ['POST', 'PUT'] as const)
          t.equal(await call(method, path), wanted, `${scope}: ${method} ${path}`)
      t.equal(await call('GET', `${orders}/parties`), '200 none', 'reading is unchanged')
      t.equal(await call('GET', `${catalogue}/catalogues`), '200 none')
    }
  })
})
