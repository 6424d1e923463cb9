import t, { type Test } from 'tap'
import type { Me } from '../../src/agreement/me/me.schemas.js'
import type { Party } from '../../src/agreement/party.schemas.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { changesOf, clerkOf, denied, granted, list, party, terms, town } from '../fixtures/clerks.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { startIssuer } from '../fixtures/issuer.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, organization, pathOf, world } from '../fixtures/world.js'

/**
 * An AdministrativeClerk changes its own organization's resources, and those of parties that it
 * registered. The region of the world registered the sellers. Other callers and resources are tried
 * in random-worlds.random.test.ts.
 */

/** A response without the member that differs between requests. */
const withoutInstance = ({ status, body }: ApiResponse) => JSON.stringify([status, { ...body, instance: '' }])

t.test('a contract gives no access to the catalogues of its seller', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, account, buyer } = await town(app)
  await clerk.create(`${orders}/contract`, terms(w.seller, account, buyer))
  t.same(await changesOf(clerk, w), denied)
})

t.test('a clerk changes what its organization is or registered', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, buyer } = await town(app)
  const theirs = await clerk.create(`${orders}/party`, party('region', 'SELLER'))
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer, w.buyer))
  t.same(await changesOf(w.clerk, w), granted)
  t.same(await changesOf(clerkOf(app, 'provider'), w), granted, 'of its own organization')

  await t.test('a registered party does not become one of the clerk’s organization', async (t) => {
    const claimed = await clerk.put(pathOf(theirs), party('town', 'BUYER'))
    t.equal(outcome(claimed), '422 fixed-organization /organization')
    t.equal(claimed.body.errors.length, 1)
  })

  await app.sql`update parties set registered_by = null`
  t.same(await changesOf(w.clerk, w), denied)
  t.same(await changesOf(clerkOf(app, 'provider'), w), granted, 'of its own organization')

  t.test('a party keeps its organization', async (t) => {
    const moved = await clerkOf(app, 'region').put(pathOf(theirs), party('town', 'SELLER'))
    t.equal(outcome(moved), '422 fixed-organization /organization')
  })
})

t.test('a clerk finds the catalogues, sellers and buyers that it may change', async (t) => {
  const found = async (clerk: Caller) => ({
    catalogues: (await clerk.get(`${catalogue}/catalogues?administered=true`, 200)).body.length,
    ...pick((await clerk.get(`${orders}/me?expand=parties`, 200)).body)
  })
  const pick = ({ administeredSellers, administeredBuyers, expanded }: Me) => ({
    sellers: administeredSellers,
    buyers: administeredBuyers,
    names: Object.values(expanded as Record<string, Party>).map(({ name }) => name)
  })
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, buyer } = await town(app)
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer))
  t.match(await found(clerk), { catalogues: 0, sellers: [], buyers: [buyer] }, 'a contract gives no access')
  const workshop = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  await clerk.create(`${catalogue}/catalogue`, list(workshop))
  const own = await found(clerk)
  t.match(own, { catalogues: 1, sellers: [workshop], buyers: [buyer] })
  t.ok(own.names.includes('workshop'))
  t.match(await found(w.clerk), { catalogues: 1, sellers: [w.seller, w.otherSeller], buyers: [w.buyer] })
  t.match(await found(app.as('AdministrativeClerk')), { catalogues: 2, sellers: null, buyers: [] })
  t.match(pick((await w.provider.get(`${orders}/me?expand=parties`, 200)).body), { sellers: [], buyers: [] })

  const national = await testApp(t, { CLERK_SCOPE: 'any' })
  const { buyer: regions } = await world(national)
  t.match(await found(clerkOf(national, 'region')), { catalogues: 1, sellers: null, buyers: [regions] })
})

t.test('a clerk registers a party of another organization as a seller only', async (t) => {
  const app = await testApp(t)
  const clerk = clerkOf(app, 'town')
  const refusal = '422 dangling-reference /organization'
  for (const { roles, wanted } of [
    { roles: ['SELLER'], wanted: '201' },
    { roles: ['BUYER'], wanted: refusal },
    { roles: ['ACCOUNTING'], wanted: refusal },
    { roles: ['SELLER', 'BUYER'], wanted: refusal }
  ]) {
    t.equal(outcome(await clerk.post(`${orders}/party`, party('region', ...roles))), wanted, `${roles}`)
    t.equal(outcome(await clerk.post(`${orders}/party`, party('town', ...roles))), '201', `own ${roles}`)
  }
  const unknownRole = await clerk.post(`${orders}/party`, party('region', 'KING', 'BUYER'))
  t.match(unknownRole.body.errors, [{ pointer: '/allowedRoles/0' }, { pointer: '/organization' }])

  const seller = await clerk.create(`${orders}/party`, party('region', 'SELLER'))
  t.equal(outcome(await clerk.put(pathOf(seller), party('region', 'SELLER', 'BUYER'))), refusal, 'later')
  await app.sql`update parties set allowed_roles = '{BUYER}' where id = ${idOf(seller)}`
  t.equal(outcome(await clerk.put(pathOf(seller), party('region', 'BUYER'))), '204', 'older roles stay')
  t.equal(outcome(await clerk.put(pathOf(seller), party('region', 'BUYER', 'ACCOUNTING'))), refusal)
})

t.test('a planted party does not come first in the list of the caller', async (t) => {
  const app = await testApp(t)
  const [town, region] = [clerkOf(app, 'town'), clerkOf(app, 'region')]
  const planted = await town.create(`${orders}/party`, party('region', 'SELLER'))
  const own = await region.create(`${orders}/party`, party('region', 'SELLER'))
  t.same((await region.get(`${orders}/me`, 200)).body.parties, [own, planted])
})

t.test('a clerk prepares lists and annotations of buyers that it registered', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  // As an administration with CLERK_SCOPE=any registers them.
  await app.sql`update parties set registered_by = ${organization('nation')} where id = ${idOf(w.otherBuyer)}`
  const value = { system: 'http://snomed.info/sct', code: '59181002' }
  const annotation = { catalogueItem: w.monitor, buyer: w.otherBuyer, name: 'n', value }
  const entry = { buyer: w.otherBuyer, item: w.monitor }
  const [nation, own, other] = [clerkOf(app, 'nation'), clerkOf(app, 'other-region'), clerkOf(app, 'town')]
  for (const clerk of [nation, own]) {
    const listed = await clerk.create(`${catalogue}/white-list`, entry)
    const note = await clerk.create(`${catalogue}/annotation`, annotation)
    for (const url of [listed, note]) t.equal(outcome(await other.delete(pathOf(url))), '404 not-found')
    t.equal(outcome(await other.put(pathOf(note), annotation)), '404 not-found')
    t.equal(outcome(await clerk.put(pathOf(note), annotation)), '204')
    for (const url of [listed, note]) t.equal(outcome(await clerk.delete(pathOf(url))), '204')
  }
  const refusal = '422 dangling-reference /buyer'
  t.equal(outcome(await other.post(`${catalogue}/white-list`, entry)), refusal)
  t.equal(outcome(await other.post(`${catalogue}/annotation`, annotation)), refusal)
  t.equal(
    outcome(await w.clerk.post(`${catalogue}/white-list`, entry)),
    refusal,
    'a contract gives no access'
  )
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
  t.same(await changesOf(clerk, { ...w, seller: w.otherSeller }), denied)
})

t.test('a workbook moves no catalogue into or out of visibility', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk } = await town(app)
  const seller = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  const own = await clerk.create(`${catalogue}/catalogue`, list(seller))
  const book = await workbookOf(sheetsWith({ Devices: [rowFor.Devices('N-1')] }))
  const named = (name: string) =>
    workbookOf(
      sheetsWith({ Catalogue: [rowFor.Catalogue({ Seller: name })], Devices: [rowFor.Devices('N-1')] })
    )
  const mine = await named('workshop')
  const imported = (method: 'POST' | 'PUT', path: string, file: Buffer) => upload(clerk, method, path, file)
  const at = `/catalogue/${idOf(w.catalogue)}`
  const cases: { what: string; run: () => Promise<ApiResponse>; wanted: string }[] = [
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

  t.test('a workbook gets the same response for a hidden resource and a missing one', async (t) => {
    const blind = (url: string) => url.replace(idOf(url), unknownId)
    const replace = (url: string) => upload(clerk, 'PUT', `/catalogue/${idOf(url)}`, mine)
    t.equal(withoutInstance(await replace(w.catalogue)), withoutInstance(await replace(blind(w.catalogue))))
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
    const planted = await clerkOf(app, 'nation').create(`${orders}/party`, party('region', 'BUYER'))
    const [registered] = await app.sql`select registered_by from parties where id = ${idOf(planted)}`
    t.same(registered, { registered_by: organization('nation') }, 'the registrant is stored too')
    const other = clerkOf(app, 'nation')
    const w = await world(app)
    const note = { catalogueItem: w.monitor, buyer: w.buyer, name: 'n', value: { system: 's', code: 'c' } }
    t.equal(outcome(await other.post(`${catalogue}/annotation`, note)), '422 dangling-reference /buyer')
    t.equal(
      outcome(await other.post(`${catalogue}/white-list`, { buyer: w.buyer, item: w.monitor })),
      '422 dangling-reference /buyer',
      'annotations and lists still belong to the buyer and its registrant'
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
      const authorization = await issuer.sign({
        sub: 'clerk',
        user_type: 'AdministrativeClerk',
        realm_access: { roles }
      })
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
