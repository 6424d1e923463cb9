import { callServer } from '../client.js'
import type { Fixture } from '../fixture.js'
import type { BenchCaller } from '../workloads/workload.js'

const organization = 'https://fhir.example/Organization/bench'

const userTypes = {
  clerk: 'AdministrativeClerk',
  nurse: 'MonitoringResponsible',
  provider: 'Provider'
} as const
export type Role = keyof typeof userTypes

export const order = '/ssl-order/v1'
export const catalogue = '/ssl-catalogue/v1'
export const excel = '/ssl-catalogue-excel/v1'

/** A note near its limit. */
export const longNote = { note: 'n'.repeat(9900) }

/**
 * The resources that requests refer to: one organization that buys, sells and maintains a
 * catalogue.
 */
export interface World {
  origin: string
  tokens: Record<Role, string>
  party: string
  /** Further parties with the role BUYER. */
  buyers: string[]
  catalogue: string
  item: string
  /** The order that the neighbour reads. */
  order: string
  /** A draft that other requests change. */
  target: string
  draft(more?: object): object
  /** Creates a resource, or items in bulk, and returns its URL. */
  create(role: Role, path: string, body: object): Promise<string>
  /** Tokens of other callers with the role. */
  tokensOf(role: Role, names: readonly string[], home?: string): Promise<string[]>
}

/**
 * Calls `work` with the numbers below `count`, four concurrently, because four large requests of a
 * caller may wait.
 */
async function times<T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let at = 0; at < count; at += 4) {
    const some = Array.from({ length: Math.min(4, count - at) }, (_, nth) => work(at + nth))
    results.push(...(await Promise.all(some)))
  }
  return results
}

/** Creates the world, with submitted orders that have the maximum number of notes. */
export async function makeWorld(
  origin: string,
  signed: Fixture['tokensOf'],
  submitted: number
): Promise<World> {
  const tokensOf: World['tokensOf'] = (role, names, home = organization) =>
    signed(names.map((name): BenchCaller => ({ userType: userTypes[role], organization: home, name })))
  const [clerk = ''] = await tokensOf('clerk', ['neighbour'])
  const [nurse = ''] = await tokensOf('nurse', ['neighbour'])
  const [provider = ''] = await tokensOf('provider', ['neighbour'])
  const tokens = { clerk, nurse, provider }
  const create: World['create'] = async (role, path, body) =>
    (await callServer(origin, tokens[role], 'POST', path, body)).headers.get('location') ?? ''

  const partyOf = (name: string, ...allowedRoles: string[]) =>
    create('clerk', `${order}/party`, { allowedRoles, name, organization })
  const party = await partyOf('bench', 'BUYER', 'SELLER', 'ACCOUNTING')
  const buyers = await times(1000, (at) => partyOf(`buyer ${at}`, 'BUYER'))
  const validityPeriod = { start: [2020, 1, 1], end: [2999, 12, 31] }
  const contract = { name: 'all', validityPeriod, seller: party, account: party, buyer: [party] }
  await create('clerk', `${order}/contract`, contract)
  const list = { seller: party, name: 'Devices', status: 'ACTIVE' }
  const catalogueUrl = await create('clerk', `${catalogue}/catalogue`, list)
  const device = { catalogueItemType: 'DeviceModel', name: 'Monitor', manufacturer: 'A', model: 'M' }
  const item = await create('clerk', `${catalogue}/catalogue-item`, { ...device, catalogue: catalogueUrl })
  await create('clerk', `${catalogue}/white-list`, { buyer: party, item })
  const receiver = { name: 'Receiver', patient: 'https://fhir.example/Patient/1' }
  const draft = (more: object = {}) => ({ buyer: party, seller: party, receiver, ...more })
  const submit = async (notes: object[]) => {
    const url = await create('nurse', `${order}/order`, draft({ notes }))
    await create('nurse', `${order}/order-line`, { order: url, item, action: 'DELIVER' })
    await callServer(origin, nurse, 'PATCH', url, [
      { op: 'replace', path: '/status/code', value: 'SUBMITTED' }
    ])
    return url
  }
  const own = await submit([{ note: 'a note' }])
  const most = await submit(Array(96).fill(longNote)).then(
    () => 96,
    () => 25
  )
  await times(submitted - 1, () => submit(Array(most).fill(longNote)))
  const target = await create('nurse', `${order}/order`, draft())
  return {
    ...{ origin, tokens, tokensOf, party, buyers, catalogue: catalogueUrl, item, order: own, target },
    ...{ draft, create }
  }
}
