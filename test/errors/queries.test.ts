import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { assertRejections, secret } from '../fixtures/routes/refusal.js'
import { catalogue, orders, organization, pathOf, patient } from '../fixtures/world.js'

const app = await testApp(t)
const g = await populatedWorld(app)

const as = (name: string, ...values: string[]) => values.map((each) => `${name}=${encodeURIComponent(each)}`)
/** The parameters of a period with texts that are neither days nor moments. */
const badPeriods = ['from', 'to'].flatMap((name) =>
  as(name, '2026-02-30', '2026-6-15', '2026-06-15T12:00', '2026-06-15T24:00:00Z', '0000-01-01', '')
)
const words = Array.from({ length: 11 }, (_, at) => `w${at}`).join(' ')

/** Queries whose last parameter is invalid, by path. */
const wrong: Record<string, string[]> = {
  [`${catalogue}/catalogue-items`]: [
    ...as('limit', '0', '-1', 'abc', '100000', '1001', '1.5', '', 'Infinity', '-Infinity', '1e400', '1;drop'),
    ...['limit=1&limit=2', 'buyer=a&buyer=b', 'status=x', 'catalogueItemType=x', 'serviceType=__proto__'],
    ...['unknown', 'Limit', 'limit[]', 'constructor', '__proto__'].map(
      (name) => `${encodeURIComponent(name)}=1`
    ),
    ...as('buyer', g.monitor),
    ...as('patient', organization('x')),
    ...as('annotation', 'name|code', ':s|c'),
    ...as('annotation', 'x', 'a:b|', 'a:|c', '', 'ehealth/device-type', 'ehealth/device-type:urn:oid:1.2'),
    ...as('annotation', 'ehealth/device-type:https://host/set', 'colour:https://host/set'),
    ...as('q', 'x'.repeat(4001), words)
  ],
  [`${catalogue}/black-lists`]: [
    ...as('patient', secret),
    `patient=${encodeURIComponent(patient(secret))}&patient=${secret}`
  ],
  [`${orders}/parties`]: ['role=PAYER', 'organization=x'],
  [`${pathOf(g.order)}/details`]: ['unknown=1', 'form=round'],
  [`${orders}/trace-lines`]: [
    ...[
      `order=${encodeURIComponent(g.order)}&order=x`,
      `order=${encodeURIComponent(g.order)}&after=x&after=y`
    ]
  ],
  [`${orders}/orders`]: [
    ...badPeriods,
    ...as('status', 'DRAFT,LOST', ''),
    ...as('dueTo', '2026-02-30', '2026-06-15T12:00:00Z', 'today', '', '0000-01-01'),
    ...['sort=name', 'updatedSince=soon', 'count=perhaps', 'attention=EARLY', 'awaiting=NOBODY'],
    'priority=perhaps',
    ...as('q', words)
  ],
  [`${orders}/order-lines`]: [
    ...as('status', 'SUBMITTED,', 'NOPE'),
    `status=${'SUBMITTED&status='.repeat(20)}SUBMITTED`,
    ...['action=FLY', 'patient=nobody', 'inUse=maybe', 'gtin=5712345678901'],
    ...['lotNumber', 'serialNumber', 'udi'].flatMap((name) => as(name, '', ' ')),
    ...as('item', g.catalogue),
    ...as('deviceItem', 'scale', g.line),
    ...as('relatedTo', g.order),
    ...['sort=agreedFrom', 'agreed=true&sort=agreedFrom', 'agreed=maybe'],
    ...as('agreedFrom', '2026-02-30', '2026-06-15T12:00', ''),
    ...as('agreedTo', 'tomorrow', '0000-01-01'),
    ...as('agreedFrom=2026-06-15&sort', 'item', '-agreedFrom'),
    ...as('calibrationDueTo', '2026-02-30', '2026-03-31T00:00:00Z', 'tomorrow')
  ],
  [`${orders}/contracts`]: ['validOn=2026-02-30'],
  [`${orders}/audit-events`]: ['from=yesterday', ...badPeriods]
}

const nameOf = (query: string) =>
  decodeURIComponent(query.slice(query.lastIndexOf('&') + 1).split('=')[0] ?? '')

for (const [path, queries] of Object.entries(wrong))
  t.test(`${path.replace(/[0-9a-f-]{36}/, ':id')} rejects`, (t) =>
    assertRejections(
      t,
      g.nurse,
      queries.map((query) => [
        query.slice(0, 80),
        { method: 'GET', url: `${path}?${query}` },
        `400 invalid-query /${nameOf(query)}`
      ])
    )
  )

t.test('rejects a list without the parameter that it needs', (t) =>
  assertRejections(t, g.nurse, [
    ['no patient', { method: 'GET', url: `${catalogue}/black-lists` }, '400 invalid-query /patient'],
    ['no order', { method: 'GET', url: `${orders}/trace-lines` }, '400 invalid-query /order']
  ])
)
