import { catalogueApi, type Make, patient } from './caller.js'
import type { Trade } from './trade.js'

export const annotations = {
  type: {
    name: 'ehealth/device-type',
    value: { system: 'http://snomed.info/sct', code: '19892000', display: 'Scale' }
  },
  period: {
    name: 'ehealth/device-calibration-period',
    value: {
      system: 'https://valuesets.example/vs/device-calibration-period',
      code: '30D',
      display: 'Every 30 days'
    }
  },
  ward: {
    name: 'ward',
    value: { system: 'http://hl7.org/fhir/metric-category', code: 'setting', display: 'Setting' }
  }
}

type Annotation = (typeof annotations)[keyof typeof annotations]

/** Devices and services of which some are found by the type and the period, and some are not, each for a reason of its own. */
export async function makeAssortment(make: Make, trade: Trade): Promise<string[]> {
  const item = (body: object) =>
    make('clerk', 'POST', `${catalogueApi}/catalogue-item`, { ...device(trade.catalogue, 'x'), ...body })
  const list = (kind: string, body: object) =>
    make(kind === 'white' ? 'clerk' : 'nurse', 'POST', `${catalogueApi}/${kind}-list`, body)
  const note = (of: string, ...which: Annotation[]) =>
    of === trade.otherBuyer ? [] : which.map((each) => ({ buyer: of, ...each }))
  const both = note(trade.buyer, annotations.period, annotations.ward, annotations.type)

  const hits: string[] = []
  for (const name of titles()) hits.push(await item({ name, annotations: both }))
  const service = { ...serviceOf(trade.catalogue, hits[0] ?? ''), annotations: both }
  hits.push(await make('clerk', 'POST', `${catalogueApi}/catalogue-item`, service))
  const misses = [
    await item({ name: 'Half noted', annotations: note(trade.buyer, annotations.type, annotations.ward) }),
    await item({ name: 'Unavailable', status: 'UNAVAILABLE', annotations: both }),
    await noted(make, trade.otherBuyer, await item({ name: 'Noted by another' }))
  ]
  for (const catalogue of trade.closed)
    misses.push(await item({ name: 'Closed', catalogue, annotations: both }))
  for (const each of [...hits, ...misses]) await list('white', { buyer: trade.buyer, item: each })
  await item({ name: 'Not listed', annotations: both })
  await list('black', { patient: patient('p1'), item: hits[3] })
  await list('black', { patient: patient('p2'), item: hits[4] })
  return hits
}

async function noted(make: Make, buyer: string, item: string): Promise<string> {
  for (const each of [annotations.type, annotations.period])
    await make('otherClerk', 'POST', `${catalogueApi}/annotation`, { catalogueItem: item, buyer, ...each })
  return item
}

/** Names in no order, some of them the same. */
const titles = () =>
  Array.from({ length: 56 }, (_, at) => `${['Måler', 'monitor', 'Ærme', 'Vægt'][at % 4]} ${(at * 7) % 29}`)

const device = (catalogue: string, name: string) => ({
  catalogueItemType: 'DeviceModel',
  catalogue,
  name,
  manufacturer: 'A&D',
  model: 'UA-767'
})

const serviceOf = (catalogue: string, relatedTo: string) => ({
  catalogueItemType: 'Service',
  catalogue,
  name: 'Repair',
  description: 'On the next day',
  serviceType: 'REPAIR',
  identifiers: [{ system: 'https://provider.example/number', value: 'R-1', assigner: 'Provider' }],
  relatedTo
})
