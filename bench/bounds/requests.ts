import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { UserType } from '../../src/platform/actor.js'

type Send = (as: UserType, request: InjectOptions) => Promise<LightMyRequestResponse>

interface Named {
  name: string
  as: UserType
  request: InjectOptions
}

const [orders, catalogue] = ['/ssl-order/v1', '/ssl-catalogue/v1']
const [clerk, nurse] = ['AdministrativeClerk', 'MonitoringResponsible'] as const

/** As many of a text's copies as have no more than this many characters together. */
const filled = (characters: number, of: (at: number) => string) =>
  Array.from({ length: Math.floor(characters / (of(1000).length + 1)) }, (_, at) => of(at)).join(',')

/** Requests that are as large as they may be in one way or another, on what they make themselves. */
export async function largestRequests(send: Send): Promise<Named[]> {
  const create = async (as: UserType, url: string, body: object) =>
    String((await send(as, { method: 'POST', url, payload: JSON.stringify(body) })).headers.location)
  const organization = 'https://fhir.example/Organization/region'
  const party = (name: string) =>
    create(clerk, `${orders}/party`, { name, allowedRoles: ['BUYER', 'SELLER', 'ACCOUNTING'], organization })
  const [buyer, seller] = [await party('buyer'), await party('seller')]
  const list = await create(clerk, `${catalogue}/catalogue`, { name: 'c', seller })
  const order = { buyer, seller, receiver: { name: 'r', patient: 'https://fhir.example/Patient/p' } }
  const draft = new URL(await create(nurse, `${orders}/order`, order)).pathname
  const identifiers = (system: string, value: string, room = 1_000_000) => {
    const each = (at: number) => JSON.stringify({ system: `${system}${at}`, value })
    const count = Math.min(1000, Math.floor(room / (each(999).length + 1)))
    return Array.from({ length: count }, (_, at) => JSON.parse(each(at)))
  }
  const large = new URL(
    await create(nurse, `${orders}/order`, { ...order, identifiers: identifiers('s', 'x'.repeat(900)) })
  ).pathname

  const named = (
    name: string,
    as: UserType,
    method: 'POST' | 'PUT' | 'PATCH',
    url: string,
    body: unknown
  ) => ({
    name,
    as,
    request: { method, url, payload: typeof body === 'string' ? body : JSON.stringify(body) } as InjectOptions
  })
  const patch = (name: string, operations: unknown, url = draft) =>
    named(`PATCH order: ${name}`, nurse, 'PATCH', url, operations)
  const query = (name: string, as: UserType, url: string): Named => ({
    name,
    as,
    request: { method: 'GET', url }
  })
  const many = (operation: object) => Array(49).fill(operation)
  const small = `[${filled(1_000_000, () => '{"a":1}')}]`
  const growing = '\ufdfa'.repeat(222)

  const junk: [string, string][] = [
    ['small objects', small],
    ['small arrays', `[${filled(1_000_000, () => '[]')}]`],
    ['numbers', `[${filled(1_000_000, () => '1')}]`],
    ['one object of many members', `{${filled(1_000_000, (at) => `"${at}":1`)}}`],
    ['the same member often', `{${filled(1_000_000, () => '"a":1')}}`],
    ['escaped quotes', `"${'\\"'.repeat(500_000)}"`],
    ['escaped characters', `["${'\\u0041'.repeat(160_000)}"]`],
    ['nested', `[${filled(1_000_000, () => '['.repeat(60) + ']'.repeat(60))}]`],
    ['nested too deep', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['unclosed', '['.repeat(1_000_000)],
    ['unknown small objects in a member', `{"identifiers":${small}}`]
  ]
  return [
    ...junk.map(([name, body]) => named(`POST order: ${name}`, nurse, 'POST', `${orders}/order`, body)),
    named('POST items: small objects', clerk, 'POST', `${catalogue}/catalogue-items`, small),
    ...[
      ['1000 identifiers', identifiers('s', 'x'.repeat(900))],
      ['1000 identifiers that grow', identifiers('s', growing, 1_040_000)],
      ['1000 identifiers in Korean', identifiers('s', '한'.repeat(300))],
      ['1000 identifiers in Danish', identifiers('s', 'ÆØ'.repeat(230))],
      ['identifiers of 4000 that grow', identifiers('s', '\ufdfa'.repeat(4000))]
    ].flatMap(([name, found]) => [
      named(`POST order: ${name}`, nurse, 'POST', `${orders}/order`, { ...order, identifiers: found }),
      named(`POST catalogue: ${name}`, clerk, 'POST', `${catalogue}/catalogue`, {
        ...{ name: 'c', seller, identifiers: found }
      }),
      named(`POST item (refused): ${name}`, clerk, 'POST', `${catalogue}/catalogue-item`, {
        ...{ catalogueItemType: 'DeviceModel', catalogue: list, name: 'n', manufacturer: 'm', model: 'm' },
        identifiers: [
          ...(found as object[]),
          { system: 's0', value: 'v' },
          { system: 's0', value: 'v' }
        ].slice(-1000)
      })
    ]),
    named('POST order: 100 long notes', nurse, 'POST', `${orders}/order`, {
      ...order,
      notes: Array(100).fill({ note: 'x'.repeat(9900) })
    }),
    named('POST items: 1 MB of them, refused at the last', clerk, 'POST', `${catalogue}/catalogue-items`, [
      ...Array(5500)
        .fill({ catalogueItemType: 'DeviceModel', catalogue: list, name: 'n', manufacturer: 'm', model: 'm' })
        .slice(0, 4999),
      { catalogueItemType: 'Service', catalogue: list, name: 'n', serviceType: 'NONE' }
    ]),
    named('POST contract: 1000 buyers', clerk, 'POST', `${orders}/contract`, {
      name: 'c',
      validityPeriod: { start: '2020-01-01', end: '2020-12-31' },
      ...{ seller, account: seller, buyer: Array(1000).fill(buyer) }
    }),
    named('PUT party: long', clerk, 'PUT', new URL(buyer).pathname, {
      ...{ name: '한'.repeat(1333), allowedRoles: ['BUYER'], organization, email: 'x'.repeat(4000) }
    }),
    patch(
      'add /x and 49 copies',
      `[{"op":"add","path":"/x","value":${small.slice(0, 480_000)}1}]},${JSON.stringify(many({ op: 'copy', from: '/x', path: '/y' })).slice(1)}`.replace(
        '{"a":1}]}',
        '{"a":1}]'
      )
    ),
    patch(
      'add /notes and 49 copies',
      `[{"op":"add","path":"/notes","value":${small}},${JSON.stringify(many({ op: 'copy', from: '/notes', path: '/identifiers' })).slice(1)}`.slice(
        0
      )
    ),
    patch(
      'add /notes and 48 moves',
      `[{"op":"add","path":"/notes","value":${small}},${Array.from({ length: 48 }, (_, at) => JSON.stringify(at % 2 ? { op: 'move', from: '/identifiers', path: '/notes' } : { op: 'move', from: '/notes', path: '/identifiers' })).join(',')}]`
    ),
    patch(
      '49 moves within an array',
      `[{"op":"add","path":"/notes","value":${small}},${JSON.stringify(many({ op: 'move', from: '/notes/0', path: '/notes/60000' })).slice(1)}`
    ),
    patch(
      'test of a large value',
      `[{"op":"add","path":"/notes","value":${small.slice(0, 480_007)}]},{"op":"test","path":"/notes","value":${small.slice(0, 480_007)}]}]`
    ),
    patch('50 tests of all', many({ op: 'test', path: '', value: {} })),
    patch('50 tests of a large document', many({ op: 'test', path: '/identifiers', value: [] }), large),
    patch('49 copies of a large member', many({ op: 'copy', from: '/identifiers', path: '/name' }), large),
    patch(
      '49 large members of a large member',
      many({ op: 'copy', from: '/identifiers/0', path: '/identifiers/-' }),
      large
    ),
    patch('priority of a large document', [{ op: 'replace', path: '/priority', value: true }], large),
    patch('long pointers', many({ op: 'add', path: `/notes${'/0'.repeat(1990)}`, value: 1 })),
    patch('long pointers of tildes', many({ op: 'copy', from: `/${'~0'.repeat(1990)}`, path: '/name' })),
    patch('copies of the whole', many({ op: 'copy', from: '', path: '/name' }), large),
    query('GET orders: 8 kB of words', nurse, `${orders}/orders?q=${'ab+'.repeat(2600)}`),
    query('GET orders: a word that grows', nurse, `${orders}/orders?q=${'%EF%B7%BA'.repeat(900)}`),
    query('GET orders: status often', nurse, `${orders}/orders?${'status=draft&'.repeat(620)}`),
    query('GET orders: short parameters', nurse, `${orders}/orders?${'a&'.repeat(4000)}`),
    query(
      'GET items: annotation often',
      nurse,
      `${catalogue}/catalogue-items?${'annotation=a:b|c&'.repeat(450)}`
    ),
    query(
      'GET items: 20 annotations',
      nurse,
      `${catalogue}/catalogue-items?${'annotation=a:b|c&'.repeat(20)}`
    ),
    query('GET items: long cursor', nurse, `${catalogue}/catalogue-items?after=${'A'.repeat(8000)}`),
    query('GET items: a word that grows', nurse, `${catalogue}/catalogue-items?q=${'%EF%B7%BA'.repeat(400)}`)
  ]
}
