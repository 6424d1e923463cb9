import t from 'tap'
import { testApp, testWorld } from '../fixtures/app.js'
import { copyRow, idOfCopy } from '../fixtures/copies.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { cheapReads } from '../fixtures/sent-statements.js'
import { vacuum } from '../fixtures/waiting.js'
import { orders, organization, pathOf, world } from '../fixtures/world.js'

t.test('a caller reads its parties and their contract partners', async (t) => {
  const { app, w } = await testWorld(t)
  const { nurse, provider, otherNurse, otherProvider, buyer, seller, account, otherBuyer, otherSeller } = w
  // In devtest a clerk without an organization may make any contract.
  const clerk = app.as('AdministrativeClerk')
  const me = async (who: typeof nurse) => (await who.get(`${orders}/me`, 200)).body
  const contract = (start: string, end: string, parties: object) =>
    clerk.create(`${orders}/contract`, { name: 'C', validityPeriod: { start, end }, account, ...parties })

  t.match(await me(nurse), {
    userType: 'MonitoringResponsible',
    organization: organization('region'),
    parties: [buyer],
    sellers: [seller],
    buyers: []
  })
  t.match(await me(provider), { parties: [seller], sellers: [], buyers: [buyer] })
  t.match(await me(otherNurse), { parties: [otherBuyer], sellers: [], buyers: [] }, 'no contract')
  t.ok((await me(nurse)).permissions.length > 0)

  await contract('2001-01-01', '2001-12-31', { seller: otherSeller, buyer: [buyer] })
  await contract('2998-01-01', '2999-12-31', { seller: otherSeller, buyer: [otherBuyer] })
  t.same((await me(nurse)).sellers, [seller], 'a contract that has ended does not count')
  t.same((await me(otherProvider)).buyers, [], 'neither does one that begins later')
  await contract('2001-01-01', '2999-12-31', { seller: otherSeller, buyer: [otherBuyer, buyer] })
  t.same((await me(nurse)).sellers, [seller, otherSeller])
  t.same((await me(otherProvider)).buyers, [buyer, otherBuyer])
  t.same((await me(provider)).buyers, [buyer], 'other contracts of a buyer are not shown to its seller')
})

t.test('a caller reads these parties with the same response', async (t) => {
  const app = await testApp(t)
  const { nurse, buyer, seller } = await world(app)
  const { body } = await nurse.get(`${orders}/me?expand=parties`, 200)
  const partyOf = async (url: string) => (await nurse.get(pathOf(url), 200)).body
  t.same(body.expanded, { [buyer]: await partyOf(buyer), [seller]: await partyOf(seller) })
  t.equal((await nurse.get(`${orders}/me`, 200)).body.expanded, undefined)
  await nurse.get(`${orders}/me?expand=orders`, 400)
})

t.test('a caller without an organization has no parties', async (t) => {
  const app = await testApp(t)
  await world(app)
  const { status, body } = await app.as('AdministrativeClerk').get(`${orders}/me`)
  t.equal(status, 200)
  t.match(body, { userType: 'AdministrativeClerk', organization: null, parties: [], sellers: [], buyers: [] })
})

// The plans are those of one server.
t.test('a GET of the caller reads no contracts of other parties', async (t) => {
  const { app, w } = await testWorld(t)
  const contract = idOf(w.contract)
  for (const each of [w.otherBuyer, w.otherSeller].map(idOf))
    await copyRow(app, 'parties', each, 10_000, {
      id: idOfCopy(each),
      organization: "concat(t.organization, '/', n)"
    })
  await copyRow(app, 'contracts', contract, 10_000, {
    id: idOfCopy(contract),
    seller_id: idOfCopy(idOf(w.otherSeller))
  })
  await app.sql.unsafe(
    `insert into contract_buyers (contract_id, position, buyer_id)
       select ${idOfCopy(contract)}, 0, ${idOfCopy(idOf(w.otherBuyer))} from generate_series(1, 10000) n`
  )
  await vacuum(app.sql, 'analyze')
  const isCheap = cheapReads(app, /with own/, 100)
  for (const caller of [w.nurse, w.provider, w.otherNurse])
    await isCheap(t, 'me', () => caller.get(`${orders}/me`, 200))
})
