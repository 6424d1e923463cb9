import { gzipSync } from 'node:zlib'
import { handMade, sheetXml } from '../../test/fixtures/excel/workbook.js'
import { repeated } from '../../test/fixtures/excel/zip.js'
import { devicesWorkbook } from '../server.js'
import { catalogue, excel, note, order, type Role, tokenOf, tokenOfUser, type World } from './world.js'

/** A request of the maximum cost allowed. */
export interface HeavyRequest {
  role: Role
  /** Default: that of the role. */
  token?: string
  method: string
  path: string
  type?: string
  body?: string | Buffer
}

/** A kind of heavy load: this many callers send its requests, one at a time. */
export interface Form {
  title: string
  atOnce: number
  /**
   * Milliseconds between two requests of a connection at least, by default 50. Without it, requests
   * that cost little would only measure how many of them a machine can take.
   */
  intervalMs?: number
  /** Whether its requests come at the default rate limit. Then the p50 is bounded, too. */
  isRated?: boolean
  /**
   * Whether the p99 of neighbours must stay below the bound; only reported for bodies above 1 MB,
   * imports and exports.
   */
  isBounded: boolean
  requests(world: World): Promise<HeavyRequest[]>
}

const json = 'application/json'
const jsonPatch = 'application/json-patch+json'
const limit = 1_048_000

/** As many entries as fit into a JSON body. */
const many = <T>(one: T, bytes = limit): T[] =>
  Array(Math.floor(bytes / (JSON.stringify(one).length + 1))).fill(one)

const post = (role: Role, path: string, body: unknown): HeavyRequest => ({
  ...{ role, method: 'POST', path, type: json },
  body: JSON.stringify(body)
})
const patch = (url: string, operations: unknown): HeavyRequest => ({
  ...{ role: 'nurse', method: 'PATCH', path: new URL(url).pathname, type: jsonPatch },
  body: JSON.stringify(operations)
})
const bounded = (title: string, atOnce: number, make: (world: World) => HeavyRequest[]): Form => ({
  ...{ title, atOnce, isBounded: true },
  requests: async (world) => make(world)
})
const reported = (title: string, atOnce: number, requests: Form['requests']): Form => ({
  ...{ title, atOnce, requests, isBounded: false }
})

function upload(file: Buffer, query = '?dryRun=true'): HeavyRequest {
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n'
  return {
    ...{ role: 'clerk', method: 'POST', path: `${excel}/catalogue${query}` },
    type: 'multipart/form-data; boundary=x',
    body: Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--x--\r\n')])
  }
}

const device = (world: World, at: number) => ({
  ...{ catalogueItemType: 'DeviceModel', catalogue: world.catalogue, name: `Device ${at}` },
  ...{ manufacturer: 'Maker', model: 'M' }
})

const textOf = (length: number) => 'x'.repeat(length)
const identifiers = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => ({ system: 'urn:many', value: `${at}${textOf(length)}` }))

/** A workbook of some kilobytes whose only sheet unpacks to this many bytes of rows. */
function bomb(unpackedBytes: number): Buffer {
  const rows = '<row><c><v>1</v></c></row>'.repeat(1000)
  const end = '</sheetData></worksheet>'
  const start = sheetXml('').replace(end, '')
  return handMade({ sheets: [{ xml: repeated(start, rows, Math.floor(unpackedBytes / rows.length), end) }] })
}

/** Every writing route of the documents, with an unknown body that is read and refused. */
async function unknownBodies({ origin }: World): Promise<HeavyRequest[]> {
  const documents = await Promise.all(
    [order, catalogue].map(async (base) => {
      const document = await (await fetch(`${origin}${base}/openapi.json`)).json()
      return Object.entries((document as { paths: Record<string, object> }).paths).map(([path, methods]) => ({
        path: base + path,
        methods: Object.keys(methods)
      }))
    })
  )
  const objects = Array(9000).fill({ a: 1 })
  const body = JSON.stringify([...objects, textOf(limit - JSON.stringify(objects).length - 3)])
  const roles: Role[] = ['clerk', 'nurse']
  return documents.flat().flatMap(({ path, methods }) =>
    methods
      .filter((method) => ['post', 'put', 'patch'].includes(method))
      .flatMap((method) =>
        roles.map((role) => ({
          ...{ role, method: method.toUpperCase(), body, type: method === 'patch' ? jsonPatch : json },
          path: path.replace(/\{[^}]+\}/g, '018f0000-0000-7000-8000-000000000000')
        }))
      )
  )
}

/** A JSON object with this many members and 1 MB. */
const objectOf = (members: number) =>
  Object.fromEntries(
    Array.from({ length: members }, (_, at) => [`${at}`, textOf(Math.max(0, limit / members - 13))])
  )

/** A load of ten requests a second: the default rate limit of a caller. */
const atRateLimit = (title: string, requests: Form['requests']): Form => ({
  ...{ title, requests, atOnce: 10, intervalMs: 1000, isBounded: true }
})

/** The path of the events that come next. */
async function endOfEvents(origin: string): Promise<string> {
  for (let path = `${order}/events`; ; ) {
    const response = await fetch(origin + path, { headers: { authorization: tokenOf('nurse') } })
    path = /<[^>]*(\/ssl-order[^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? path
    if (((await response.json()) as object[]).length === 0) return path
  }
}

/** Requests that cost others much at the default rate limit. */
const ratedForms: readonly Form[] = [
  bounded('openapi.json, 100 a second', 5, () => [
    { role: 'clerk', method: 'GET', path: `${order}/openapi.json` }
  ]),
  atRateLimit('events of a caller who sees none of 100,000', async ({ origin, catalogue: url }) => {
    for (let at = 0; at < 20; at++) {
      const items = Array.from({ length: 5000 }, (_, nth) => device({ catalogue: url } as World, nth))
      const { role, path, type = '', body } = post('clerk', `${catalogue}/catalogue-items`, items)
      const headers = { authorization: tokenOf(role), 'content-type': type }
      await fetch(origin + path, { method: 'POST', headers, body: String(body) })
    }
    const token = tokenOfUser('provider', 'stranger', 'https://fhir.example/Organization/other')
    return [{ role: 'provider', token, method: 'GET', path: `${catalogue}/events` }]
  }),
  atRateLimit('expand of 200 orders with 100 lines', async ({ item, draft, create }) => {
    const orderLines = Array(100).fill({ item, action: 'DELIVER' })
    for (let at = 0; at < 200; at++) await create('nurse', `${order}/order`, draft({ orderLines }))
    const path = `${order}/orders?status=DRAFT&expand=parties,orderLines,items`
    return [{ role: 'nurse', method: 'GET', path }]
  }),
  ...[20_000, 80_000].map((members) =>
    atRateLimit(`POST of a party with ${members} members`, async () => [
      post('clerk', `${order}/party`, objectOf(members))
    ])
  ),
  atRateLimit('bulk create with 80,000 members', async () => [
    post('clerk', `${catalogue}/catalogue-items`, [objectOf(79_999)])
  ]),
  {
    ...{ title: 'long polls of ten users of an organization', atOnce: 300, intervalMs: 1000 },
    isBounded: true,
    requests: async ({ origin }) => {
      const end = await endOfEvents(origin)
      return Array.from({ length: 10 }, (_, at) => ({
        ...{ role: 'nurse' as const, token: tokenOfUser('nurse', `user ${at}`), method: 'GET' },
        path: `${end}&wait=5`
      }))
    }
  }
]

/** All kinds of heavy load. */
export const forms: readonly Form[] = [
  ...ratedForms.map((form) => ({ ...form, isRated: true })),
  bounded('PATCH of an order: add /x of 9,000 small objects and 49 copies', 6, (world) => [
    patch(world.target, [
      { op: 'add', path: '/x', value: Array(9000).fill({ a: 1 }) },
      ...Array.from({ length: 49 }, (_, at) => ({ op: 'copy', from: '/x', path: `/x${at}` }))
    ])
  ]),
  bounded('list of 120 submitted orders with many notes of 9,900 characters', 12, ({ party }) => [
    {
      ...{ role: 'provider', method: 'GET' },
      path: `${order}/orders?status=SUBMITTED&seller=${encodeURIComponent(party)}`
    }
  ]),
  bounded('search for q of 2,000 words', 16, () => [
    {
      ...{ role: 'clerk', method: 'GET' },
      path: `${catalogue}/catalogue-items?q=${Array.from({ length: 2000 }, (_, at) => (at % 900) + 100).join('+')}`
    }
  ]),
  reported('800 items with names of U+FDFA × 4,000', 4, async (world) => [
    post(
      'clerk',
      `${catalogue}/catalogue-items`,
      Array.from({ length: 800 }, (_, at) => ({ ...device(world, at), name: '\ufdfa'.repeat(4000) }))
    )
  ]),
  bounded('POST of an order with notes near the limits', 6, ({ draft }) => [
    post('nurse', `${order}/order`, draft({ notes: Array(96).fill(note) })),
    post('nurse', `${order}/order`, draft({ notes: Array(25).fill(note) }))
  ]),
  bounded('PATCH of an order with 1 MB of notes', 6, (world) => [
    patch(world.target, [{ op: 'add', path: '/notes', value: many(note, limit - 1000) }]),
    patch(
      world.target,
      Array.from({ length: 50 }, () => ({ op: 'add', path: '/notes/-', value: note }))
    )
  ]),
  bounded('POST of a contract with 1,000 buyers', 6, ({ party, buyers }) => [
    post('clerk', `${order}/contract`, {
      validityPeriod: { start: [2020, 1, 1], end: [2999, 12, 31] },
      ...{ name: textOf(3900), seller: party, account: party, buyer: buyers }
    })
  ]),
  bounded('POST of a party with 1 MB of identifiers', 6, () => [
    post('clerk', `${order}/party`, {
      ...{ allowedRoles: ['BUYER'], name: textOf(3900), identifiers: identifiers(900, 1000) },
      organization: 'https://fhir.example/Organization/bench'
    })
  ]),
  bounded('POST of an item with 1 MB of identifiers', 6, (world) => [
    post('clerk', `${catalogue}/catalogue-item`, { ...device(world, 0), identifiers: identifiers(900, 1000) })
  ]),
  bounded('POST of an item with 1,000 annotations', 6, (world) => [
    post('clerk', `${catalogue}/catalogue-item`, {
      ...device(world, 0),
      annotations: Array.from({ length: 1000 }, (_, at) => ({
        ...{ buyer: world.party, name: `name ${at}` },
        value: { system: 'urn:many', code: textOf(700) + at }
      }))
    })
  ]),
  {
    ...{ title: '1 MB of small objects to every writing route', atOnce: 6, isBounded: true },
    requests: unknownBodies
  },
  bounded('1 MB of [[[[…', 6, () => [
    { ...{ role: 'nurse', method: 'POST', path: `${order}/order`, type: json }, body: '['.repeat(limit) }
  ]),
  reported('upload of 10 MB that is no workbook', 4, async () => [upload(Buffer.alloc(10_400_000, 'a;b\n'))]),
  reported('upload of 10 MB that begins like a workbook', 4, async () => [
    upload(
      Buffer.concat([Buffer.from('PK\x03\x04'), gzipSync(Buffer.alloc(1000)), Buffer.alloc(10_400_000, 7)])
    )
  ]),
  reported('upload of a workbook that unpacks to 250 MB', 4, async () => [upload(bomb(250e6))]),
  reported('upload of a workbook that unpacks to 1 GB', 4, async () => [upload(bomb(1e9))]),
  reported('dry run of 5,000 items', 4, async () => [upload(await devicesWorkbook(5000, 'bench'))]),
  reported('export of 5,000 items', 4, async (world) => {
    const body = Array.from({ length: 5000 }, (_, at) => ({
      ...device(world, at),
      identifiers: [{ system: 'urn:export', value: `${at}` }]
    }))
    const { role, method, path, type = '', body: sent } = post('clerk', `${catalogue}/catalogue-items`, body)
    const headers = { authorization: tokenOf(role), 'content-type': type }
    await fetch(world.origin + path, { method, headers, body: String(sent) })
    return [{ role: 'clerk', method: 'GET', path: `${excel}/catalogue/${world.catalogue.split('/').at(-1)}` }]
  }),
  reported('bulk create of 10 MB, 5,000 items', 4, async (world) => [
    post(
      'clerk',
      `${catalogue}/catalogue-items`,
      Array.from({ length: 5000 }, (_, at) => ({ ...device(world, at), description: textOf(1850) }))
    )
  ])
]
