import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { bodies } from '../fixtures/routes/bodies.js'
import { catalogue, orders, organization, party, pathOf, world } from '../fixtures/world.js'

const w = await world(await testApp(t))
const { clerk } = w
const otherAccount = await clerk.create(`${orders}/party`, party('region', 'ACCOUNTING'))
const secondBuyer = await clerk.create(`${orders}/party`, party('region', 'BUYER'))
const otherCatalogue = await clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Second' })
const identifiers = [{ system: 's', value: 'v', assigner: null }]

interface Replacement {
  address: string
  /** Instead of the body with every member. */
  example?: object
  /** Another value of each member that may change. */
  others: Record<string, unknown>
  /** The value in the response if it differs from the sent value. */
  responses?: Record<string, unknown>
}

const replacements: Replacement[] = [
  {
    address: `${orders}/party`,
    example: { organization: organization('region') },
    others: { allowedRoles: ['BUYER', 'SELLER'], name: 'Other', email: null }
  },
  {
    address: `${orders}/contract`,
    example: { buyer: [w.buyer, w.otherBuyer] },
    others: {
      name: 'Other',
      validityPeriod: { start: [2025, 1, 2], end: [2026, 3, 5] },
      reminderDays: null,
      expiryReminderDays: 3,
      answerDays: 4,
      seller: w.otherSeller,
      account: otherAccount,
      buyer: [w.otherBuyer, secondBuyer, w.buyer]
    }
  },
  {
    address: `${catalogue}/catalogue`,
    others: { identifiers, seller: w.otherSeller, name: 'Other', status: 'INACTIVE' },
    responses: { status: { code: 'INACTIVE' } }
  },
  {
    address: `${catalogue}/catalogue-item`,
    others: {
      catalogue: otherCatalogue,
      name: 'Other',
      description: null,
      identifiers: [{ system: 's', value: 'w', assigner: 'a' }],
      status: 'UNAVAILABLE',
      manufacturer: 'Other',
      model: 'Other',
      version: null
    }
  },
  {
    address: `${catalogue}/catalogue-item`,
    example: {
      ...{ manufacturer: null, model: null, version: null },
      ...{ catalogueItemType: 'Service', serviceType: 'REPAIR', relatedTo: w.monitor }
    },
    others: {
      name: 'Other',
      description: 'Other',
      serviceType: 'TRAINING',
      relatedTo: null,
      status: 'DISCONTINUED'
    },
    responses: { serviceType: { code: 'TRAINING' } }
  },
  {
    address: `${catalogue}/annotation`,
    others: {
      catalogueItem: w.repair,
      buyer: secondBuyer,
      name: 'Other',
      value: { system: 'http://snomed.info/sct', code: '258057004' }
    }
  }
]
for (const { address, example, others, responses } of replacements)
  for (const [member, value] of Object.entries(others))
    t.test(`${address} stores another ${member}`, async (t) => {
      const body = { ...bodies(w)[address], ...example }
      const url = pathOf(await clerk.create(address, body))
      const before = (await clerk.get(url, 200)).body
      const change = { [member]: responses?.[member] ?? value }
      t.notMatch(before, change)
      await clerk.put(url, { ...body, [member]: value }, 204)
      const after = (await clerk.get(url, 200)).body
      t.match(after, { ...before, ...change })
      t.same(Object.keys(after), Object.keys(before))
    })
