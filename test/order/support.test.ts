import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogue, moveTo, orders, pathOf, world } from '../fixtures/world.js'

t.test('a support request is an ordinary order of a service, from search to FULFILLED', async (t) => {
  const app = await testApp(t)
  const { nurse, provider, buyer, monitor, createDraft } = await world(app)
  const note = (text: string) => [{ op: 'add', path: '/notes/-', value: { note: text } }]

  const search = new URLSearchParams({ buyer, catalogueItemType: 'Service', serviceType: 'REPAIR' })
  const [service] = (await nurse.get(`${catalogue}/catalogue-items?${search}`, 200)).body
  const device = (await nurse.get(pathOf(service.relatedTo), 200)).body
  t.equal(service.relatedTo, monitor, 'the service relates to its device model')
  t.equal(device.catalogueItemType, 'DeviceModel')

  const order = await createDraft({
    name: `Repair: ${device.name}`,
    notes: [{ note: 'It does not turn on.' }]
  })
  const item = `${monitor.slice(0, -36)}${service.id}`
  const line = await nurse.create(`${orders}/order-line`, { order, item, action: service.serviceType.code })
  await nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)

  const [waiting] = (await provider.get(`${orders}/orders?status=SUBMITTED`, 200)).body
  t.match(waiting, { name: 'Repair: Blood pressure monitor', notes: [{ note: 'It does not turn on.' }] })
  await provider.patch(pathOf(order), [...note('We fetch it on Monday.'), ...moveTo('ACCEPTED')], 204)
  await nurse.patch(pathOf(order), note('The key is with the neighbour.'), 204)
  await provider.patch(pathOf(line), moveTo('UNFULFILLED'), 204)
  await nurse.patch(pathOf(order), note('She is home again on Tuesday.'), 204)
  await nurse.patch(pathOf(line), moveTo('SUBMITTED'), 204)
  await provider.patch(pathOf(line), moveTo('FULFILLED'), 204)

  for (const who of [nurse, provider]) {
    const { order: done, traceLines } = (await who.get(`${pathOf(order)}/details`, 200)).body
    t.equal(done.status.code, 'FULFILLED')
    t.same(
      done.notes.map((each: { authorName: string; authorOrganization: string }) => [
        each.authorName,
        each.authorOrganization
      ]),
      [
        ['Nora Nurse', 'region'],
        ['Per Provider', 'provider'],
        ['Nora Nurse', 'region'],
        ['Nora Nurse', 'region']
      ]
    )
    t.same(
      traceLines.map((each: { supplementaryText: string }) => each.supplementaryText),
      [
        'Status: DRAFT.',
        'Old value: DRAFT. New value: SUBMITTED.',
        'Old value: UNFULFILLED. New value: SUBMITTED.',
        'Old value: SUBMITTED. New value: ACCEPTED.',
        'Old value: SUBMITTED. New value: UNFULFILLED.',
        'Old value: UNFULFILLED. New value: SUBMITTED.',
        'Old value: SUBMITTED. New value: FULFILLED.',
        'Old value: ACCEPTED. New value: FULFILLED.'
      ]
    )
  }
  const flat = (await nurse.get(`${pathOf(order)}/details?form=flat`, 200)).body
  const { order: nested, ...rest } = (await nurse.get(`${pathOf(order)}/details`, 200)).body
  t.same(flat, { ...nested, ...rest }, 'the flat form has the members of the order at the top')
})
