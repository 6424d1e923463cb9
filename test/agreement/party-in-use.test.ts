import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

t.test('a party in use keeps its role', async (t) => {
  const { app, w } = await testWorld(t)
  const everyone = app.as('AdministrativeClerk')
  const give = (party: string, name: string, ...allowedRoles: string[]) =>
    everyone.put(pathOf(party), { allowedRoles, name, organization: organization(name) })
  const refuses = async (party: string, name: string, role: string, wanted: RegExp) => {
    const response = await give(party, name, role)
    t.equal(outcome(response), '409 party-in-use /allowedRoles')
    t.match(response.body.detail, wanted)
  }
  const period = (last: number) => ({
    ...contract,
    validityPeriod: { start: [2020, 1, 1], end: [last, 12, 31] }
  })
  const contract = (await everyone.get(pathOf(w.contract), 200)).body
  const order = await w.createDraft()

  await refuses(
    w.buyer,
    'region',
    'SELLER',
    /role BUYER for open orders and contracts that have not ended \(“Home monitoring” http\S+\)\.$/
  )
  await refuses(w.seller, 'provider', 'BUYER', /SELLER for open orders, catalogues .* and contracts/)
  await refuses(
    w.account,
    'accounting',
    'BUYER',
    /role ACCOUNTING for contracts that have not ended \(“Home monitoring” http\S+\)\.$/
  )
  t.match(
    (
      await app
        .as('AdministrativeClerk', organization('region'), { permissions: ['Party.update'] })
        .put(pathOf(w.buyer), { allowedRoles: ['SELLER'], name: 'R', organization: organization('region') })
    ).body.detail,
    /contracts that have not ended\.$/,
    'a caller who may not read contracts does not learn their names'
  )
  t.equal(outcome(await give(w.buyer, 'region', 'BUYER', 'SELLER')), '204', 'roles are added')
  t.equal(outcome(await give(w.buyer, 'region', 'BUYER')), '204', 'a role without use is taken')

  await everyone.put(pathOf(w.contract), period(2021), 204)
  t.equal(outcome(await give(w.account, 'accounting', 'BUYER')), '204', 'the contract has ended')
  await refuses(w.buyer, 'region', 'SELLER', /role BUYER for open orders\.$/)
  await w.nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
  t.equal(outcome(await give(w.buyer, 'region', 'SELLER')), '204', 'the order is closed')
  await refuses(w.seller, 'provider', 'BUYER', /role SELLER for catalogues that are not INACTIVE\.$/)
  await everyone.put(pathOf(w.catalogue), { seller: w.seller, name: 'Devices', status: 'INACTIVE' }, 204)
  t.equal(outcome(await give(w.seller, 'provider', 'BUYER')), '204', 'the catalogue is closed')

  t.test('a clerk who may not change the party does not learn of its use', async (t) => {
    const clerk = app.as('AdministrativeClerk', organization('town'))
    for (const id of [idOf(w.otherSeller), idOf(w.buyer)]) {
      const body = { allowedRoles: ['BUYER'], name: 'x', organization: organization('town') }
      t.equal(outcome(await clerk.put(`${orders}/party/${id}`, body)), '404 not-found')
    }
  })
})
