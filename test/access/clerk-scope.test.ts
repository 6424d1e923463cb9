import t from 'tap'
import type { Me } from '../../src/agreement/me/me.schemas.js'
import type { Party } from '../../src/agreement/party.schemas.js'
import { testApp, testWorld, verifyingTokens } from '../fixtures/app.js'
import type { ApiResponse, Caller } from '../fixtures/callers.js'
import { catalogueOf, changesOf, clerkOf, denied, granted, town } from '../fixtures/clerks.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { startIssuer } from '../fixtures/issuer.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { catalogue, orders, organization, party, pathOf, terms, world } from '../fixtures/world.js'

/*
 * Examples of the changes that an AdministrativeClerk may make. random-worlds.random.test.ts tests
 * each resource with the model of access, which has no workbooks and no settings.
 */

/** A response without the member that differs between requests. */
const withoutInstance = ({ status, body }: ApiResponse) => JSON.stringify([status, { ...body, instance: '' }])

t.test(
  'a clerk changes the parties of its organization and those it registered, not those in its contracts',
  async (t) => {
    const { app, w } = await testWorld(t)
    const { clerk, account, buyer } = await town(app)
    await clerk.create(`${orders}/contract`, terms(w.seller, account, buyer))
    t.same(await changesOf(clerk, w), denied)
    t.same(await changesOf(w.clerk, w), granted)
    t.same(await changesOf(clerkOf(app, 'provider'), w), granted, 'of its own organization')
    await app.sql`update parties set registered_by = null`
    t.same(await changesOf(w.clerk, w), denied)
  }
)

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
  const { app, w } = await testWorld(t)
  const { clerk, buyer } = await town(app)
  await clerk.create(`${orders}/contract`, terms(w.seller, w.account, buyer))
  t.match(await found(clerk), { catalogues: 0, sellers: [], buyers: [buyer] }, 'a contract gives no access')
  const workshop = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  await clerk.create(`${catalogue}/catalogue`, catalogueOf(workshop))
  const own = await found(clerk)
  t.match(own, { catalogues: 1, sellers: [workshop], buyers: [buyer] })
  t.ok(own.names.includes('workshop'))
  t.match(await found(w.clerk), { catalogues: 1, sellers: [w.seller, w.otherSeller], buyers: [w.buyer] })
  t.match(await found(app.as('AdministrativeClerk')), { catalogues: 2, sellers: null, buyers: [] })
  t.match(pick((await w.provider.get(`${orders}/me?expand=parties`, 200)).body), { sellers: [], buyers: [] })

  const planted = await clerk.create(`${orders}/party`, party('region', 'SELLER'))
  const later = await w.clerk.create(`${orders}/party`, party('region', 'SELLER'))
  const { parties } = (await w.clerk.get(`${orders}/me`, 200)).body
  t.same(parties, [w.buyer, later, planted], 'a party that another organization registered comes last')
  const national = await testApp(t, { CLERK_SCOPE: 'any' })
  const { buyer: regions } = await world(national)
  t.match(await found(clerkOf(national, 'region')), { catalogues: 1, sellers: null, buyers: [regions] })
})

t.test('a clerk registers a party of another organization as a seller only', async (t) => {
  const clerk = clerkOf(await testApp(t), 'town')
  const seller = await clerk.create(`${orders}/party`, party('region', 'SELLER'))
  for (const roles of [['BUYER'], ['ACCOUNTING'], ['SELLER', 'BUYER']])
    for (const [organization, created, changed] of [
      ['region', '422 dangling-reference /organization', '422 dangling-reference /organization'],
      ['town', '201', '422 fixed-organization /organization']
    ] as const) {
      const body = party(organization, ...roles)
      t.equal(outcome(await clerk.post(`${orders}/party`, body)), created, `${organization} ${roles}`)
      t.equal(outcome(await clerk.put(pathOf(seller), body)), changed, `${organization} ${roles}`)
    }
})

t.test('a workbook cannot give a catalogue to a hidden seller or take it from one', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk } = await town(app)
  const seller = await clerk.create(`${orders}/party`, party('workshop', 'SELLER'))
  const own = await clerk.create(`${catalogue}/catalogue`, catalogueOf(seller))
  const named = (Seller: string) =>
    workbookOf(sheetsWith({ Catalogue: [rowFor.Catalogue({ Seller })], Devices: [rowFor.Devices('N-1')] }))
  const [book, mine] = [await named('provider'), await named('workshop')]
  const imported = (method: 'POST' | 'PUT', path: string, file: Buffer) => upload(clerk, method, path, file)
  await writingNothing(t, app.sql, async () => {
    for (const query of ['', '?dryRun=true']) {
      const foreignSeller = await imported('POST', `/catalogue${query}`, book)
      t.equal(outcome(foreignSeller), '422 faulty-workbook', query)
      const foreign = await imported('PUT', `/catalogue/${idOf(w.catalogue)}${query}`, mine)
      t.equal(outcome(foreign), '404 not-found', query)
    }
    const given = await imported('PUT', `/catalogue/${idOf(own)}`, book)
    t.equal(outcome(given), '422 faulty-workbook', 'a workbook that gives the catalogue away')
  })

  t.test('a workbook gets the same response for a hidden resource and a missing one', async (t) => {
    const replace = (id: string) => imported('PUT', `/catalogue/${id}`, mine)
    const hidden = withoutInstance(await replace(idOf(w.catalogue)))
    t.equal(hidden, withoutInstance(await replace(unknownId)))
    const faultOf = async (seller: string) =>
      (await imported('POST', '/catalogue', await named(seller))).body.faults[0]
    t.same({ ...(await faultOf('provider')), found: '' }, { ...(await faultOf('nobody at all')), found: '' })
  })
})

t.test('CLERK_SCOPE=any gives a clerk access to all organizations, except for lists of buyers', async (t) => {
  const app = await testApp(t, { CLERK_SCOPE: 'any' })
  const nation = clerkOf(app, 'nation')
  const w = await world(app)
  for (const clerk of [nation, app.as('AdministrativeClerk')]) {
    t.same(await changesOf(clerk, w), granted)
    await clerk.create(`${orders}/contract`, terms(w.seller, w.account, w.buyer))
  }
  const planted = await nation.create(`${orders}/party`, party('region', 'BUYER'))
  const [registered] = await app.sql`select registered_by from parties where id = ${idOf(planted)}`
  t.same(registered, { registered_by: organization('nation') }, 'the registrant is stored too')
  const note = { catalogueItem: w.monitor, buyer: w.buyer, name: 'n', value: { system: 's', code: 'c' } }
  for (const response of [
    await nation.post(`${catalogue}/annotation`, note),
    await nation.post(`${catalogue}/white-list`, { buyer: w.buyer, item: w.monitor })
  ])
    t.equal(outcome(response), '422 dangling-reference /buyer')
})

t.test('outside devtest a clerk without an organization needs CLERK_SCOPE=any', async (t) => {
  const issuer = await startIssuer(t)
  const roles = ['Party.*', 'Contract.*', 'Catalogue.*', 'CatalogueItem.*']
  for (const [scope, wanted] of [
    ['own', '403 forbidden'],
    ['any', '400 invalid-body']
  ] as const) {
    const { as } = await testApp(t, { ...verifyingTokens, TOKEN_ISSUERS: issuer.url, CLERK_SCOPE: scope })
    const claims = { sub: 'clerk', user_type: 'AdministrativeClerk', realm_access: { roles } }
    const token = { authorization: await issuer.sign(claims) }
    for (const path of [
      ...[`${orders}/party`, `${orders}/contract`],
      ...[`${catalogue}/catalogue`, `${catalogue}/catalogue-item`]
    ])
      for (const verb of ['post', 'put'] as const) {
        const response = await as()[verb](path, [], undefined, token)
        t.equal(outcome(response).replace(/ \/.*| $/, ''), wanted, `${scope}: ${verb} ${path}`)
      }
    for (const list of [`${orders}/parties`, `${catalogue}/catalogues`])
      t.equal(outcome(await as().get(list, undefined, token)), '200 none', 'reading is unchanged')
  }
})
