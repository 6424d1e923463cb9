import t from 'tap'
import type { UserType } from '../../src/platform/auth/caller.js'
import { testWorld } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { excel, upload } from '../fixtures/excel/client.js'
import { sheetsOf } from '../fixtures/excel/edit.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { contract } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { orders, organization, pathOf } from '../fixtures/world.js'

const unknown = '/catalogue/01890000-0000-7000-8000-000000000000'

const bookOf = (seller: string) =>
  sheetsWith({ Catalogue: [rowFor.Catalogue({ Seller: seller })], Devices: [rowFor.Devices('N-1')] })

t.test('access to workbooks', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk, nurse, provider, otherProvider, catalogue, otherBuyer } = w
  const own = `/catalogue/${catalogue.split('/').at(-1)}`
  const [mine, theirs] = [bookOf('provider'), bookOf('other-provider')]

  /** Template, export, export of an unknown catalogue, POST, PUT, PUT with another seller. */
  const [missing, forbidden, faulty] = ['404 not-found', '403 forbidden', '422 faulty-workbook']
  const table = [
    ['the clerk', clerk, '200', '200', missing, '200', '200', '200'],
    ['a nurse', nurse, '200', '200', missing, forbidden, forbidden, forbidden],
    ['the provider', provider, '200', '200', missing, '200', '200', faulty],
    ['another provider', otherProvider, '200', missing, missing, faulty, missing, missing],
    ['a provider of no organization', app.as('Provider'), ...Array(6).fill(forbidden)],
    ['a caller without a token', app.as(), ...Array(6).fill('401 unauthorized')]
  ] as const
  const before = await contentOf(app.sql)
  for (const [who, caller, ...wanted] of table) {
    const responses = [
      await caller.get(`${excel}/template`),
      await caller.get(`${excel}${own}`),
      await caller.get(`${excel}${unknown}`),
      await upload(caller, 'POST', '/catalogue?dryRun=true', mine),
      await upload(caller, 'PUT', `${own}?dryRun=true`, mine),
      await upload(caller, 'PUT', `${own}?dryRun=true`, theirs)
    ]
    t.same(responses.map(outcome), wanted, who)
  }
  t.same(await contentOf(app.sql), before, 'nothing is written')
  t.equal(outcome(await upload(clerk, 'PUT', unknown, mine)), '404 not-found')
  t.equal(outcome(await upload(clerk, 'PUT', '/catalogue/x', mine)), '404 not-found')

  t.test('another clerk sees the catalogue, without the annotations of other buyers', async (t) => {
    const annotated = sheetsWith({
      Devices: [rowFor.Devices('N-1')],
      Annotations: [rowFor.Annotations('N-1')]
    })
    const sent = await upload(clerk, 'PUT', own, annotated)
    t.match(sent, { status: 200, body: { created: 1, annotations: { created: 1 } } })
    const other = app.as('AdministrativeClerk', organization('other-region'))
    await other.create(`${orders}/contract`, { ...contract(w), buyer: [otherBuyer] })
    t.equal(outcome(await upload(other, 'PUT', own, annotated)), '404 not-found', 'a contract is no right')
    const sellers = app.as('AdministrativeClerk', organization('provider'))
    t.match(await upload(sellers, 'PUT', own, annotated), {
      status: 422,
      body: { total: 1, faults: [{ sheet: 'Annotations', cell: 'C2', code: 'dangling-reference' }] }
    })
    const exported = (await sellers.get(`${excel}${own}`, 200)).body
    t.match(await upload(sellers, 'PUT', own, exported), {
      status: 200,
      body: { annotations: { created: 0, unchanged: 0 } }
    })
  })

  t.test('a clerk imports and exports lists of buyers that its organization registered', async (t) => {
    const prepared = {
      ...sheetsWith({
        Devices: [rowFor.Devices('N-1')],
        Annotations: [rowFor.Annotations('N-1', { Buyer: 'other-region' })]
      }),
      'White list': [
        ['Item: identifier', 'Buyer'],
        ['N-1', 'other-region']
      ]
    }
    t.match(await upload(clerk, 'PUT', own, prepared), { status: 422, body: { total: 2 } })
    await app.sql`update parties set registered_by = ${organization('region')} where id = ${idOf(otherBuyer)}`
    const made = { annotations: { created: 1 }, whiteList: { created: 1 } }
    t.match(await upload(clerk, 'PUT', own, prepared), { status: 200, body: made })
    const exported = (await clerk.get(`${excel}${own}`, 200)).body
    const sheets = await sheetsOf(exported)
    for (const sheet of ['Annotations', 'White list'])
      t.ok(sheets[sheet]?.flat().includes('other-region'), sheet)
    const kept = { annotations: { created: 0, unchanged: 2 }, whiteList: { created: 0 } }
    t.match(await upload(clerk, 'PUT', own, exported), { status: 200, body: kept })
  })
})

t.test('the names of parties of other organizations in a workbook', async (t) => {
  const { app, w } = await testWorld(t)
  const path = `/catalogue/${w.catalogue.split('/').at(-1)}`
  const permissions = ['Catalogue.*', 'CatalogueItem.*']
  /** The seller in the sheet, and the sellers in the drop-down list. */
  const toldTo = async (userType: UserType, name: string | undefined, ...more: string[]) => {
    const who = app.as(userType, name && organization(name), { permissions: [...permissions, ...more] })
    const exported = (await who.get(`${excel}${path}`, 200)).body
    const texts = async (file: Buffer) => {
      const sheets = await sheetsOf(file)
      const names = Object.values(sheets).flatMap((rows) => rows.flat().map(String))
      return ['provider', 'other-provider'].filter((each) => names.includes(each)).join()
    }
    const template = (await who.get(`${excel}/template`, 200)).body
    const seller = (await sheetsOf(exported)).Catalogue?.flat().find((text) =>
      /party|^provider$/.test(`${text}`)
    )
    return [seller, await texts(exported), await texts(template)]
  }
  const all = ['provider', 'provider,other-provider', 'provider,other-provider']
  const none = [w.seller, '', '']
  t.same(await toldTo('AdministrativeClerk', 'region', 'Party.read'), all)
  t.same(await toldTo('AdministrativeClerk', 'region', 'Party.*'), all)
  t.same(
    await toldTo('AdministrativeClerk', 'town', 'Party.read'),
    ['provider', 'provider', ''],
    'no seller is offered whose catalogues the clerk cannot change'
  )
  t.same(await toldTo('AdministrativeClerk', undefined, 'Party.read'), all, 'in devtest a clerk of all')
  t.same(await toldTo('AdministrativeClerk', 'region', 'Party.write'), none)
  t.same(await toldTo('AdministrativeClerk', 'region'), none)
  t.same(await toldTo('AdministrativeClerk', undefined), none)
  t.same(await toldTo('MonitoringResponsible', 'region'), none)
  t.same(await toldTo('MonitoringResponsible', 'region', 'Party.read'), all)
  t.same(await toldTo('Provider', 'provider'), ['provider', 'provider', 'provider'], 'the own one')
  t.same(await toldTo('Provider', 'provider', 'Party.read'), ['provider', 'provider', 'provider'])

  t.test('and in the faults of an import', async (t) => {
    const twin = await w.clerk.create(`${orders}/party`, {
      ...{ allowedRoles: ['SELLER'], name: 'other-provider', organization: organization('twin') }
    })
    const own = await w.clerk.create(`${orders}/party`, {
      ...{ allowedRoles: ['SELLER'], name: 'provider', organization: organization('region') }
    })
    const imported = async (seller: string, ...more: string[]) => {
      const who = app.as('AdministrativeClerk', organization('region'), {
        permissions: [...permissions, ...more]
      })
      const { status, body } = await upload(who, 'POST', '/catalogue', bookOf(seller))
      if (status === 201) return (await w.clerk.get(pathOf(body.catalogue), 200)).body.seller
      const [{ code, detail }] = body.faults
      return { code, detail }
    }
    t.match(await imported('other-provider', 'Party.read'), { code: 'ambiguous-party' })
    t.same(
      await imported('other-provider'),
      await imported('nobody'),
      'of names that it may not see it tells nothing'
    )
    t.equal(await imported(twin), twin, 'a URL tells one')
    t.match(await imported('provider', 'Party.read'), { code: 'ambiguous-party' })
    t.equal(await imported('provider'), own, 'the own one counts where another is not to be seen')
    t.notMatch(JSON.stringify(await imported('nobody')), /provider/)
  })
})
