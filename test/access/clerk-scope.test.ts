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
import { catalogue, orders, organization, pathOf, world } from '../fixtures/world.js'

/**
 * An AdministrativeClerk changes resources that its organization takes part in or registered. The
 * region of the world registered every party.
 */

/** A response without the members that differ between requests. */
const comparable = ({ status, body }: ApiResponse) => JSON.stringify([status, { ...body, instance: '' }])

t.test('a contract gives access to the catalogues of its seller until the end of its last day', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, account, buyer } = await town(app)
  t.same(await changesOf(clerk, w), denied, 'no contract')

  const today = (date: string) => Object.assign(app.app, { today: () => date })
  const days = { start: [2030, 5, 1], end: [2030, 5, 10] }
  for (const parts of [terms(w.seller, account, w.buyer), terms(w.seller, w.account, w.otherBuyer, buyer)]) {
    const contract = await clerk.create(`${orders}/contract`, { ...parts, validityPeriod: days })
    for (const [date, wanted] of [
      ['2030-04-30', granted],
      ['2030-05-01', granted],
      ['2030-05-10', granted],
      ['2030-05-11', denied]
    ] as const) {
      today(date)
      t.same(
        await changesOf(clerk, w),
        wanted,
        `as ${parts.account === account ? 'account' : 'buyer'} on ${date}`
      )
    }
    t.equal(
      outcome(await clerk.put(pathOf(contract), { ...parts, validityPeriod: lasting })),
      '204',
      'it can be prolonged'
    )
    t.same(await changesOf(clerk, w), granted)
    const past = { start: [2020, 1, 1], end: [2021, 1, 1] }
    // Without the day of the next contract, so that each contract grants access on its own.
    await clerk.put(pathOf(contract), { ...parts, validityPeriod: past }, 204)
    t.same(await changesOf(clerk, w), denied, 'it can be ended')
  }
  t.same(
    await changesOf(clerkOf(app, 'provider'), w),
    denied,
    'the organization of the seller has no clerk access'
  )
  t.same(await changesOf(w.clerk, w), granted, 'the registrant of the seller needs no contract')
})

t.test('a clerk changes parties of its organization or registered by it', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, account, buyer } = await town(app)
  const rename = async (who: Caller, url: string) => {
    const { body } = await clerk.get(pathOf(url), 200)
    return outcome(await who.put(pathOf(url), { ...body, name: `${body.name}.` }))
  }
  t.equal(await rename(clerk, buyer), '204', 'of the own organization')
  t.equal(await rename(w.clerk, w.seller), '204', 'registered by it')
  t.equal(await rename(clerk, w.seller), '404 not-found', 'registered by another')
  t.equal(
    await rename(clerkOf(app, 'provider'), w.seller),
    '204',
    'registered by another, of the own organization'
  )
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer, w.buyer))
  t.equal(await rename(clerk, w.seller), '404 not-found', 'a contract gives no party that another registered')

  await app.sql`update parties set registered_by = null`
  t.equal(await rename(clerk, w.seller), '204', 'an older one, by an unended contract: the seller')
  t.equal(await rename(clerk, w.account), '204', 'an older one: the account')
  t.equal(await rename(clerk, w.buyer), '404 not-found', 'not another buyer of the contract')
  t.equal(await rename(clerk, w.otherSeller), '404 not-found', 'not without a contract')
  t.equal(await rename(clerk, account), '204')
  await app.sql`update contracts set last_day = first_day`
  t.equal(await rename(clerk, w.seller), '404 not-found', 'not by an ended contract')
  await app.sql`update contracts set first_day = '2998-01-01', last_day = '2999-01-01'`
  t.equal(await rename(clerk, w.seller), '204', 'by a contract that starts later')

  t.test('refuses a party of another organization', async (t) => {
    const theirs = await clerk.create(`${orders}/party`, party('region', 'SELLER'))
    t.equal(await rename(clerk, theirs), '204', 'its registrant changes it')
    t.equal(await rename(w.clerk, theirs), '204', 'its own organization changes it')
    const moved = await clerk.put(pathOf(theirs), {
      ...party('region', 'SELLER'),
      organization: organization('town')
    })
    t.equal(outcome(moved), '422 fixed-organization /organization')
    t.equal(outcome(await w.nurse.get(`${orders}/orders?buyer=${encodeURIComponent(theirs)}`)), '200 none')
    t.same(
      await changesOf(w.clerk, { ...w, seller: theirs }),
      [denied[0], denied[0], ...granted.slice(2)],
      'registered by another'
    )
  })
})

t.test('only account and buyers create, delete and change contracts', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, account, buyer } = await town(app)
  // To be a buyer of one contract gives no access to others.
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer))
  const foreign = [{ pointer: '/buyer/0' }, { pointer: '/account' }]
  const cases: [what: string, response: ApiResponse, wanted: string][] = [
    [
      'created between others',
      await clerk.post(`${orders}/contract`, terms(w.seller, w.account, w.buyer)),
      '422 dangling-reference /buyer/0'
    ],
    ['taken', await clerk.put(pathOf(w.contract), terms(w.seller, account, buyer)), '404 not-found'],
    [
      'taken by the id in the body',
      await clerk.put(`${orders}/contract`, { id: idOf(w.contract), ...terms(w.seller, account, buyer) }),
      '404 not-found'
    ],
    [
      'given away',
      await w.clerk.put(pathOf(w.contract), terms(w.seller, account, buyer)),
      '422 dangling-reference /buyer/0'
    ],
    [
      'as its seller',
      await clerkOf(app, 'provider').put(pathOf(w.contract), terms(w.seller, w.account, w.buyer)),
      '404 not-found'
    ],
    ['shared', await w.clerk.put(pathOf(w.contract), terms(w.seller, account, w.buyer)), '204']
  ]
  for (const [what, response, wanted] of cases) t.equal(outcome(response), wanted, what)
  t.match(cases[0]?.[1].body.errors, foreign)
  const own = await clerk.create(`${orders}/contract`, terms(w.seller, account, w.buyer))
  const both = await clerk.put(pathOf(own), { id: idOf(w.contract), ...terms(w.otherSeller, account, buyer) })
  t.equal(outcome(both), '400 conflicting-ids')
  t.same(await changesOf(clerk, { ...w, seller: w.otherSeller }), [denied[0], denied[0], ...granted.slice(2)])
})

t.test('resources are not moved into or out of visibility', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, buyer, account } = await town(app)
  const seller = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  const own = await clerk.create(`${catalogue}/catalogue`, list(seller))
  const scale = await clerk.create(`${catalogue}/catalogue-item`, device(own))
  const service = (relatedTo: string) => ({
    ...{ catalogueItemType: 'Service', catalogue: own, name: 'Repair', serviceType: 'REPAIR', relatedTo }
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
  const rows: [what: string, run: () => Promise<ApiResponse>, wanted: string][] = [
    [
      'a catalogue given away',
      () => clerk.put(pathOf(own), list(w.seller)),
      '422 dangling-reference /seller'
    ],
    ['a catalogue taken', () => clerk.put(pathOf(w.catalogue), list(seller)), '404 not-found'],
    [
      'taken by the id in the body',
      () => clerk.put(`${catalogue}/catalogue`, { id: idOf(w.catalogue), ...list(seller) }),
      '404 not-found'
    ],
    [
      'two ids',
      () => clerk.put(pathOf(own), { id: idOf(w.catalogue), ...list(seller) }),
      '400 conflicting-ids'
    ],
    ['an item taken', () => clerk.put(pathOf(w.monitor), device(own)), '404 not-found'],
    [
      'an item given away',
      () => clerk.put(pathOf(scale), device(w.catalogue)),
      '422 dangling-reference /catalogue'
    ],
    [
      'items of mixed sellers',
      () => clerk.post(items, [device(own), device(w.catalogue), device(own)]),
      '422 dangling-reference /1/catalogue'
    ],
    [
      'a service of a foreign device',
      () => clerk.post(`${catalogue}/catalogue-item`, service(w.monitor)),
      '422 dangling-reference /relatedTo'
    ],
    ['a workbook for a foreign seller', () => imported('POST', '/catalogue', book), '422 faulty-workbook'],
    ['the same as a dry run', () => imported('POST', '/catalogue?dryRun=true', book), '422 faulty-workbook'],
    ['a workbook into a foreign catalogue', () => imported('PUT', at, mine), '404 not-found'],
    ['the same as a dry run', () => imported('PUT', `${at}?dryRun=true`, mine), '404 not-found'],
    [
      'a workbook that gives the catalogue away',
      () => imported('PUT', `/catalogue/${idOf(own)}`, book),
      '422 faulty-workbook'
    ]
  ]
  await writingNothing(t, app.sql, async () => {
    for (const [what, run, wanted] of rows) t.equal(outcome(await run()), wanted, what)
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
    const pairs: [what: string, ask: (url: string) => Promise<ApiResponse>, url: string][] = [
      ['PUT party', (url) => clerk.put(pathOf(url), party('provider', 'SELLER')), w.seller],
      ['PUT contract', (url) => clerk.put(pathOf(url), terms(w.seller, account, buyer)), w.contract],
      [
        'PUT contract, foreign body',
        (url) => clerk.put(pathOf(url), terms(w.seller, w.account, w.buyer)),
        w.contract
      ],
      [
        'contract.account',
        (url) => clerk.post(`${orders}/contract`, terms(w.seller, url, w.buyer)),
        w.account
      ],
      [
        'contract.account without the role',
        (url) => clerk.post(`${orders}/contract`, terms(w.seller, url, w.buyer)),
        w.otherSeller
      ],
      [
        'contract.buyer twice',
        (url) => clerk.post(`${orders}/contract`, terms(w.seller, w.account, url, url)),
        w.buyer
      ],
      ['PUT catalogue', (url) => clerk.put(pathOf(url), list(seller)), w.catalogue],
      ['catalogue.seller', (url) => clerk.post(`${catalogue}/catalogue`, list(url)), w.seller],
      [
        'catalogue.seller without the role',
        (url) => clerk.post(`${catalogue}/catalogue`, list(url)),
        w.buyer
      ],
      ['PUT item', (url) => clerk.put(pathOf(url), device(own)), w.monitor],
      ['PUT item of another type', (url) => clerk.put(pathOf(url), device(own)), w.repair],
      ['item.catalogue', (url) => clerk.post(`${catalogue}/catalogue-item`, device(url)), w.catalogue],
      ['item.relatedTo', (url) => clerk.post(`${catalogue}/catalogue-item`, service(url)), w.monitor],
      ['workbook', (url) => upload(clerk, 'PUT', `/catalogue/${idOf(url)}`, mine), w.catalogue]
    ]
    for (const [what, ask, url] of pairs)
      t.equal(comparable(await ask(url)), comparable(await ask(blind(url))), what)
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
    t.same(
      registered.map((row) => row.registered_by),
      [organization('region')],
      'the registrant is stored too'
    )
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
        ...{
          ENVIRONMENT: 'inttest',
          PUBLIC_URL: 'https://ssl.example',
          DATABASE_URL: 'postgres://nowhere/ssl'
        },
        ...{ TOKEN_ISSUERS: issuer.url, CLERK_SCOPE: scope }
      })
      const roles = ['Party.*', 'Contract.*', 'Catalogue.*', 'CatalogueItem.*']
      const authorization = await issuer.sign({ user_type: 'AdministrativeClerk', realm_access: { roles } })
      const call = async (method: 'POST' | 'PUT' | 'GET', url: string) =>
        outcome(
          await as().send({
            ...{ method, url, headers: { authorization } },
            ...(method === 'GET' ? {} : { payload: [] as unknown as object })
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
