import { devicesWorkbook } from '../workbook.js'
import {
  devices,
  endOfEvents,
  getRequest,
  type HeavyRequest,
  limit,
  objectOf,
  patchRequest,
  postItems,
  postRequest,
  textOf,
  unknownBodies,
  uploadRequest
} from './requests.js'
import { catalogue, excel, longNote, order, type World } from './world.js'

/** A kind of heavy load: this many callers send its requests, one at a time. */
export interface LoadType {
  title: string
  atOnce: number
  /**
   * Milliseconds between two requests of a connection, by default 50. Without this pause, cheap
   * requests would only measure the throughput of the machine.
   */
  intervalMs?: number
  /** Whether its requests come at the default rate limit. If so, the p50 is also bounded. */
  isRated?: boolean
  /**
   * Whether the p99 of neighbours must stay below the bound; only reported for bodies above 1 MB,
   * imports and exports.
   */
  isBounded: boolean
  requests(world: World): Requests | Promise<Requests>
}

type Requests = HeavyRequest | readonly HeavyRequest[]

const bounded = (title: string, atOnce: number, requests: LoadType['requests']): LoadType => ({
  ...{ title, atOnce, requests, isBounded: true }
})
const reported = (title: string, requests: LoadType['requests']): LoadType => ({
  ...{ title, requests, atOnce: 4, isBounded: false }
})
/** Ten requests a second: the default rate limit of a caller. */
const rated = (title: string, requests: LoadType['requests'], atOnce = 10): LoadType => ({
  ...{ title, requests, atOnce, intervalMs: 1000, isBounded: true, isRated: true }
})

/** Lists of a caller that sends 150 concurrent requests each second. */
const listed = (title: string, requests: LoadType['requests']): LoadType => ({
  ...bounded(`${title}, 150 at once`, 150, requests),
  intervalMs: 1000
})

const identifiers = Array.from({ length: 900 }, (_, at) => ({
  ...{ system: 'urn:many', value: `${at}${textOf(1000)}` }
}))

/** All kinds of heavy load. */
export const loadTypes: readonly LoadType[] = [
  {
    ...bounded('openapi.json, 100 a second', 5, (world) =>
      getRequest(world, 'clerk', `${order}/openapi.json`)
    ),
    isRated: true
  },
  rated('events of a caller that sees none of 100,000', async (world) => {
    const items = devices(world, 5000)
    for (let at = 0; at < 20; at++) await world.create('clerk', `${catalogue}/catalogue-items`, items)
    const [token = ''] = await world.tokensOf(
      'provider',
      ['stranger'],
      'https://fhir.example/Organization/other'
    )
    return { ...getRequest(world, 'provider', `${catalogue}/events`), token }
  }),
  rated('expand of 200 orders with 100 lines', async (world) => {
    const { item, draft, create } = world
    const orderLines = Array(100).fill({ item, action: 'DELIVER' })
    for (let at = 0; at < 200; at++) await create('nurse', `${order}/order`, draft({ orderLines }))
    return getRequest(world, 'nurse', `${order}/orders?status=DRAFT&expand=parties,orderLines,items`)
  }),
  listed('expand of 200 orders with 100 lines', (world) =>
    getRequest(world, 'nurse', `${order}/orders?status=DRAFT&expand=parties,orderLines,items`)
  ),
  listed('CSV of order lines', (world) => ({
    ...getRequest(world, 'nurse', `${order}/order-lines`),
    accept: 'text/csv'
  })),
  listed('pages of 100 KiB', (world) => getRequest(world, 'nurse', `${order}/order-lines?limit=150`)),
  ...[20_000, 80_000].map((members) =>
    rated(`POST of a party with ${members} members`, (world) =>
      postRequest(world, 'clerk', `${order}/party`, objectOf(members))
    )
  ),
  rated('bulk create with 80,000 members', (world) => postItems(world, [objectOf(79_999)])),
  rated(
    'long polls of ten users of an organization',
    async (world) => {
      const end = await endOfEvents(world)
      const users = Array.from({ length: 10 }, (_, at) => `user ${at}`)
      const tokens = await world.tokensOf('nurse', users)
      return tokens.map((token) => ({ ...getRequest(world, 'nurse', `${end}&wait=5`), token }))
    },
    300
  ),
  bounded('PATCH of an order: add /x of 9,000 small objects and 49 copies', 6, (world) =>
    patchRequest(world, [
      { op: 'add', path: '/x', value: Array(9000).fill({ a: 1 }) },
      ...Array.from({ length: 49 }, (_, at) => ({ op: 'copy', from: '/x', path: `/x${at}` }))
    ])
  ),
  bounded('list of 120 submitted orders with many notes of 9,900 characters', 12, (world) =>
    getRequest(
      world,
      'provider',
      `${order}/orders?status=SUBMITTED&seller=${encodeURIComponent(world.party)}`
    )
  ),
  bounded('search for q of 2,000 words', 16, (world) => {
    const words = Array.from({ length: 2000 }, (_, at) => (at % 900) + 100)
    return getRequest(world, 'clerk', `${catalogue}/catalogue-items?q=${words.join('+')}`)
  }),
  bounded('POST of an order with notes near the limits', 6, (world) =>
    [96, 25].map((notes) =>
      postRequest(world, 'nurse', `${order}/order`, world.draft({ notes: Array(notes).fill(longNote) }))
    )
  ),
  bounded('PATCH of an order with 1 MB of notes', 6, (world) => [
    patchRequest(world, [{ op: 'add', path: '/notes', value: Array(105).fill(longNote) }]),
    patchRequest(world, Array(50).fill({ op: 'add', path: '/notes/-', value: longNote }))
  ]),
  bounded('POST of a contract with 1,000 buyers', 6, (world) =>
    postRequest(world, 'clerk', `${order}/contract`, {
      validityPeriod: { start: [2020, 1, 1], end: [2999, 12, 31] },
      ...{ name: textOf(3900), seller: world.party, account: world.party, buyer: world.buyers }
    })
  ),
  bounded('POST of a party with 1 MB of identifiers', 6, (world) =>
    postRequest(world, 'clerk', `${order}/party`, {
      ...{ allowedRoles: ['BUYER'], name: textOf(3900), identifiers },
      organization: 'https://fhir.example/Organization/bench'
    })
  ),
  bounded('POST of an item with 1 MB of identifiers', 6, (world) => {
    const [item] = devices(world, 1, () => ({ identifiers }))
    return postRequest(world, 'clerk', `${catalogue}/catalogue-item`, item)
  }),
  bounded('POST of an item with 1,000 annotations', 6, (world) => {
    const annotations = Array.from({ length: 1000 }, (_, at) => ({
      ...{ buyer: world.party, name: `name ${at}` },
      value: { system: 'urn:many', code: textOf(700) + at }
    }))
    const [item] = devices(world, 1, () => ({ annotations }))
    return postRequest(world, 'clerk', `${catalogue}/catalogue-item`, item)
  }),
  bounded('1 MB of small objects to every writing route', 6, unknownBodies),
  bounded('1 MB of [[[[…', 6, (world) => postRequest(world, 'nurse', `${order}/order`, '['.repeat(limit))),
  reported('dry run of 5,000 items', async (world) =>
    uploadRequest(world, await devicesWorkbook(5000, 'bench'))
  ),
  reported('export of 5,000 items', async (world) => {
    const identify = (at: number) => ({ identifiers: [{ system: 'urn:export', value: `${at}` }] })
    await world.create('clerk', `${catalogue}/catalogue-items`, devices(world, 5000, identify))
    return getRequest(world, 'clerk', `${excel}/catalogue/${world.catalogue.split('/').at(-1)}`)
  }),
  reported('bulk create of 10 MB, 5,000 items', (world) =>
    postItems(
      world,
      devices(world, 5000, () => ({ description: textOf(1850) }))
    )
  )
]
