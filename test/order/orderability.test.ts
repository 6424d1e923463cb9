import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { problemViolations } from '../fixtures/routes/refusal.js'
import { catalogue, orders, organization, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const app = await testApp(t)

t.test('an item that cannot be ordered is rejected with a code per reason', async (t) => {
  const w = await world(app)
  const { clerk, nurse, monitor, buyer, seller, otherSeller } = w

  const replaceCatalogue = (more: object) =>
    clerk.put(pathOf(w.catalogue), { seller, name: 'Devices', status: 'ACTIVE', ...more }, 204)
  const { body: device } = await clerk.get(pathOf(monitor), 200)
  const replaceItem = (status: string) => clerk.put(pathOf(monitor), { ...device, status }, 204)
  const { body: contract } = await clerk.get(pathOf(w.contract), 200)
  const replaceContract = (more: object) => clerk.put(pathOf(w.contract), { ...contract, ...more }, 204)
  // The API cannot take a role from a party in use.
  const giveRole = (party: string, role: string) =>
    app.sql`update parties set allowed_roles = ${[role]} where id = ${idOf(party)}`
  const whiteListed = `${catalogue}/white-lists?${new URLSearchParams({ buyer, item: monitor })}`
  const [white] = (await clerk.get(whiteListed, 200)).body
  let blackEntry = ''
  // A clerk may use its organization in a contract only as the account.
  const ownAccount = await clerk.create(`${orders}/party`, {
    name: 'Own account',
    allowedRoles: ['ACCOUNTING'],
    organization: organization('region')
  })

  interface Reason {
    code: string
    cause: () => Promise<unknown>
    undo: () => Promise<unknown>
  }
  const noContract = (more: object): Reason => ({
    code: 'no-contract',
    cause: () => replaceContract(more),
    undo: () => replaceContract({})
  })
  const catalogueIs = (code: string, more: object): Reason => ({
    code,
    cause: () => replaceCatalogue(more),
    undo: () => replaceCatalogue({})
  })
  const itemIs = (status: string): Reason => ({
    code: 'item-not-available',
    cause: () => replaceItem(status),
    undo: () => replaceItem('AVAILABLE')
  })
  const wrongRole = (party: string, from: string, to: string): Reason => ({
    code: 'no-contract',
    cause: () => giveRole(party, to),
    undo: () => giveRole(party, from)
  })
  const reasons: Reason[] = [
    noContract({ validityPeriod: { start: [2020, 1, 1], end: [2020, 12, 31] } }),
    noContract({ validityPeriod: { start: [2998, 1, 1], end: [2999, 12, 31] } }),
    noContract({ buyer: [w.otherBuyer], account: ownAccount }),
    noContract({ seller: otherSeller }),
    wrongRole(seller, 'SELLER', 'BUYER'),
    wrongRole(buyer, 'BUYER', 'ACCOUNTING'),
    catalogueIs('catalogue-not-active', { status: 'INACTIVE' }),
    catalogueIs('catalogue-not-active', { status: 'DRAFT' }),
    catalogueIs('foreign-item', { seller: otherSeller }),
    itemIs('UNAVAILABLE'),
    itemIs('discontinued'),
    {
      code: 'black-listed',
      async cause() {
        blackEntry = await nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: monitor })
      },
      undo: () => nurse.delete(pathOf(blackEntry), 204)
    },
    {
      code: 'not-white-listed',
      cause: () => clerk.delete(`${catalogue}/white-list/${white.id}`, 204),
      undo: () => clerk.create(`${catalogue}/white-list`, { buyer, item: monitor })
    }
  ]
  const question = { buyer, patient: patient('p1'), items: [monitor] }
  const search = `${catalogue}/catalogue-items?${new URLSearchParams({ buyer, patient: patient('p1'), q: 'UA-767' })}`
  for (const { code, cause, undo } of reasons) {
    const order = await w.createDraft()
    const line = await w.addLine(order)
    await cause()
    const refused = { status: 422, body: { code, errors: [{ code }] } }
    const another = await nurse.post(`${orders}/order-line`, { order, item: monitor, action: 'DELIVER' })
    t.match(another, refused, `${code}: line`)
    t.equal(another.body.errors[0].pointer, code === 'no-contract' ? '/order' : '/item')
    const submission = await nurse.patch(pathOf(order), transitionTo('SUBMITTED'))
    t.match(submission, refused, `${code}: submission`)
    const [{ pointer, detail }] = submission.body.errors
    t.equal(pointer, '/0/value')
    t.equal(detail.startsWith(`${line}: `), code !== 'no-contract', 'names the line')
    const { traceLines } = (await nurse.get(`${pathOf(order)}/details`)).body
    t.equal(traceLines.length, 1, `${code}: nothing was written`)
    t.same((await nurse.get(search, 200)).body, [], `${code}: the search omits it`)
    for (const more of code === 'foreign-item' ? [{ seller }] : [{ seller }, {}]) {
      const { status, body } = await nurse.post(`${orders}/orderability`, { ...question, ...more })
      if (status === 422) t.equal(body.code, 'wrong-role', 'a party without its role')
      else t.match(body, [{ item: monitor, orderable: false, reasons: [{ code }] }], `${code}: check`)
    }
    await undo()
    t.same((await nurse.post(`${orders}/orderability`, question, 200)).body, [
      { item: monitor, orderable: true, reasons: [] }
    ])
    await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  }
})

t.test('a rejected submission names each line and each of its reasons', async (t) => {
  const w = await world(app)
  const order = await w.createDraft()
  const [first, repair, second] = [
    await w.addLine(order),
    await w.addLine(order, { item: w.repair, action: 'REPAIR' }),
    await w.addLine(order)
  ]
  const cancelled = await w.addLine(order)
  await w.nurse.patch(pathOf(cancelled), transitionTo('CANCELLED'), 204)
  const buyers = `${catalogue}/white-lists?${new URLSearchParams({ buyer: w.buyer })}`
  const listed = await w.clerk.get(buyers, 200)
  for (const { id } of listed.body) await w.clerk.delete(`${catalogue}/white-list/${id}`, 204)
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.monitor })
  await app.sql`update contracts set last_day = first_day where id = ${idOf(w.contract)}`

  const refused = await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 422)
  t.same(problemViolations(refused), [], 'a well-formed problem')
  const faults = refused.body.errors.map(
    ({ code, pointer, resource }: { code: string; pointer: string; resource?: object }) => ({
      code,
      pointer,
      ...resource
    })
  )
  t.same(
    new Set(faults),
    new Set([
      { code: 'no-contract', pointer: '/0/value' },
      { code: 'not-white-listed', pointer: '/item', url: first },
      { code: 'black-listed', pointer: '/item', url: first },
      { code: 'not-white-listed', pointer: '/item', url: repair },
      { code: 'not-white-listed', pointer: '/item', url: second },
      { code: 'black-listed', pointer: '/item', url: second }
    ])
  )
  t.equal(faults.length, 6, 'the cancelled line is not named')
})

t.test('a submitted order continues when its item can no longer be ordered', async () => {
  const w = await world(app)
  const [accepted, cancelled] = [await w.submitted(), await w.submitted()]
  await w.nurse.create(`${catalogue}/black-list`, { patient: patient('p1'), item: w.monitor })
  await app.sql`update contracts set last_day = first_day where id = ${idOf(w.contract)}`
  await w.provider.patch(pathOf(accepted.order), transitionTo('ACCEPTED'), 204)
  await w.nurse.patch(pathOf(cancelled.order), transitionTo('CANCELLED'), 204)
})
