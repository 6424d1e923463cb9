import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogue, orders, organization, pathOf, world } from '../fixtures/world.js'

const w = await world(await testApp(t))
const { clerk } = w
const party = (name: string, role: string) =>
  clerk.create(`${orders}/party`, { allowedRoles: [role], name, organization: organization(name) })
const otherAccount = await party('region', 'ACCOUNTING')
const secondBuyer = await party('region', 'BUYER')
const otherCatalogue = await clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: 'Second' })

interface Replacement {
  address: string
  example: Record<string, unknown>
  /** Another value of each member that may change. */
  others: Record<string, unknown>
  /** What the response has instead of the other value. */
  responses?: Record<string, unknown>
}

const replacements: Replacement[] = [
  {
    address: `${orders}/party`,
    example: {
      allowedRoles: ['BUYER'],
      name: 'P',
      email: 'a@b.example',
      organization: organization('region')
    },
    others: { allowedRoles: ['BUYER', 'SELLER'], name: 'Other', email: null }
  },
  {
    address: `${orders}/contract`,
    example: {
      name: 'C',
      validityPeriod: { start: [2026, 1, 2], end: [2026, 3, 4] },
      reminderDays: 5,
      seller: w.seller,
      account: w.account,
      buyer: [w.buyer, w.otherBuyer]
    },
    others: {
      name: 'Other',
      validityPeriod: { start: [2025, 1, 2], end: [2026, 3, 5] },
      reminderDays: null,
      seller: w.otherSeller,
      account: otherAccount,
      buyer: [w.otherBuyer, secondBuyer, w.buyer]
    }
  },
  {
    address: `${catalogue}/catalogue`,
    example: {
      identifiers: [{ system: 's', value: 'v', assigner: 'a' }],
      seller: w.seller,
      name: 'C',
      status: 'ACTIVE'
    },
    others: {
      identifiers: [{ system: 's', value: 'v', assigner: null }],
      seller: w.otherSeller,
      name: 'Other',
      status: 'INACTIVE'
    },
    responses: { status: { code: 'INACTIVE' } }
  },
  {
    address: `${catalogue}/catalogue-item`,
    example: {
      catalogueItemType: 'DeviceModel',
      catalogue: w.catalogue,
      name: 'D',
      description: 'd',
      identifiers: [{ system: 's', value: 'v', assigner: 'a' }],
      status: 'AVAILABLE',
      manufacturer: 'm',
      model: 'o',
      version: '1'
    },
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
      catalogueItemType: 'Service',
      catalogue: w.catalogue,
      name: 'S',
      description: 'd',
      serviceType: 'REPAIR',
      relatedTo: w.monitor,
      identifiers: [],
      status: 'AVAILABLE'
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
    example: {
      catalogueItem: w.monitor,
      buyer: w.buyer,
      name: 'free',
      value: { system: 'http://snomed.info/sct', code: '19892000' }
    },
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
    t.test(`${address} of ${example.name} stores another ${member}`, async (t) => {
      // An identifier is unique in a catalogue.
      const identifiers = [{ system: 's', value: `${example.name} ${member}`, assigner: 'a' }]
      const body = 'identifiers' in example ? { ...example, identifiers } : example
      const url = pathOf(await clerk.create(address, body))
      const before = (await clerk.get(url, 200)).body
      const change = { [member]: responses?.[member] ?? value }
      t.notMatch(before, change)
      await clerk.put(url, { ...body, [member]: value }, 204)
      const after = (await clerk.get(url, 200)).body
      t.match(after, { ...before, ...change })
      t.same(Object.keys(after), Object.keys(before))
    })
