import { createHmac, randomUUID } from 'node:crypto'
import postgres from 'postgres'
import t from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { orderResource } from '../../src/order/model/resources.js'
import { testApp } from '../fixtures/app.js'
import { formerHash, hashOf, referenceOf } from '../fixtures/audit/rows.js'
import { databaseAfter } from '../fixtures/database-after.js'
import { orders, organization, patient } from '../fixtures/world.js'

/** A row of the audit record before 0012_compact_audit. */
interface FormerRow {
  patients: (string | null)[]
  orders?: (string | null)[]
  recorded?: string
  sameAs?: string
}

const key = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 91 + 7) % 256))

/** A database with rows of the former form, made before the audit record was partitioned. */
async function formerDatabase(t: Parameters<typeof databaseAfter>[0], rows: Record<string, FormerRow>) {
  const url = await databaseAfter(t, 11)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql`insert into secrets (name, value) values ('audit', ${key})`
  const ids = new Map<string, string>()
  for (const [name, { patients, orders = patients.map(() => null), ...row }] of Object.entries(rows)) {
    const id = randomUUID()
    ids.set(name, id)
    await sql`
      insert into audit_events (id, recorded, request_id, operation, interaction, user_type, organization, patients, orders, same_as)
      values (${id}, ${row.recorded ?? '2026-01-01T12:00:00Z'}, ${name}, 'getOrder', 'read', 'MonitoringResponsible',
        ${organization('region')}, ${patients as string[]}, ${orders as string[]}, ${ids.get(row.sameAs ?? '') ?? null})`
  }
  return { url, sql }
}

t.test('rows of the former form are found and shown as before', async (t) => {
  const hashed = (name: string) => formerHash(key, patient(name))
  const order = randomUUID()
  // Among them are hashes with each character of base64url.
  const many = Array.from({ length: 300 }, (_, at) => `many-${at}`)
  const { url, sql } = await formerDatabase(t, {
    hashed: { patients: [hashed('p')], orders: [order] },
    reference: { patients: [patient('p')] },
    'no patient': { patients: [null], orders: [order] },
    several: { patients: [null, hashed('q'), patient('r'), hashed('p')] },
    many: { patients: many.map(hashed) },
    repeated: { patients: [], sameAs: 'many', recorded: '2026-01-01T12:30:00Z' },
    'of nobody': { patients: [] }
  })
  await migrate(url)

  const stored = await sql`select request_id as name, to_json(patients) as patients from audit_events`
  const patientsOf = Object.fromEntries(stored.map(({ name, patients }) => [name, patients]))
  const hashNow = (name: string) => hashOf(key, patient(name))
  t.same(patientsOf, {
    hashed: [hashNow('p')],
    reference: [referenceOf(patient('p'))],
    'no patient': [null],
    several: [null, hashNow('q'), referenceOf(patient('r')), hashNow('p')],
    many: many.map(hashNow),
    repeated: [],
    'of nobody': []
  })
  const storage = await sql`
    select distinct attstorage from pg_attribute join pg_partition_tree('audit_events') on relid = attrelid
    where attname = 'patients'`
  t.same(storage, [{ attstorage: 'e' }], 'no partition tries to compress hashes')
  await sql.end({ timeout: 5 })

  const { app, as } = await testApp(t, {}, async () => url)
  const nurse = as('MonitoringResponsible', organization('region'))
  const found = async (query: Record<string, string>) => {
    const period = { from: '2026-01-01', to: '2026-01-01' }
    const { body } = await nurse.get(
      `${orders}/audit-events?${new URLSearchParams({ ...period, ...query })}`,
      200
    )
    return body as { entity: { what: { reference?: string; identifier?: { value: string } } }[] }[]
  }
  const named = async (query: Record<string, string>) =>
    (await found(query)).map(({ entity }) => entity.at(-1)?.what.identifier?.value).sort()
  t.same(await named({ patient: patient('p') }), ['hashed', 'reference', 'several'])
  t.same(await named({ patient: patient('q') }), ['several'])
  t.same(await named({ patient: patient('r') }), ['several'])
  t.same(await named({ patient: patient('many-299') }), ['many', 'repeated'])
  t.same(await named({ patient: patient('nobody') }), [])
  t.same(await named({ order: app.resourceUrls.url(orderResource, order) }), ['hashed', 'no patient'])

  const [event] = await found({ patient: patient('q') })
  const hash = (name: string) => ({
    identifier: {
      type: { text: 'hmac-sha256' },
      value: createHmac('sha256', key).update(patient(name)).digest().subarray(0, 16).toString('base64url')
    }
  })
  t.same(
    event?.entity.slice(0, -1).map(({ what }) => what),
    [hash('q'), { reference: patient('r') }, hash('p')]
  )
})
