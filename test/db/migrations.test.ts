import { readdirSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { newId } from '../../src/db/unit-of-work.js'
import { cloneDatabase } from '../fixtures/app.js'
import { formerHash } from '../fixtures/audit/rows.js'
import { databaseAfter } from '../fixtures/database-after.js'

t.test('concurrent and repeated migrations succeed', async (t) => {
  const url = await cloneDatabase(t, 'template0')
  await Promise.all(Array.from({ length: 5 }, () => migrate(url)))
  await migrate(url)
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select count(*)::int as n from drizzle.__drizzle_migrations`
  t.equal(row?.n, readdirSync('drizzle/migrations').filter((file) => file.endsWith('.sql')).length)
  await sql.end({ timeout: 5 })
})

t.test('a database of another version is refused', async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1 })
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 99999999999999)`
  await sql.end({ timeout: 5 })
  await t.rejects(migrate(url), { message: /another version of this program/ })
})

t.test('PostgreSQL 15 is the oldest supported version', async (t) => {
  for (const [version, isTaken] of [
    ['149999', false],
    ['150000', true]
  ] as const) {
    const url = await cloneDatabase(t)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    // A function that shadows the one of PostgreSQL.
    await sql.unsafe(`
      create schema old;
      create function old.current_setting(text) returns text language sql as $$ select '${version}' $$;
      do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public', current_database()); end $$`)
    await sql.end({ timeout: 5 })
    if (isTaken) await migrate(url)
    else await t.rejects(migrate(url), { message: /^PostgreSQL 15 or newer is required. This is PostgreSQL/ })
  }
})

/** A record of the creation of a black list entry, before 0010. */
interface FormerRecord {
  patient: string
  organization: string | null
  /** Milliseconds after the entry was made. */
  after: number
  operation: string
  problem: string
}

t.test('older black list entries get the organization of their audit record', async (t) => {
  const url = await databaseAfter(t, 9)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const key = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 200) % 256))
  await sql`insert into secrets (name, value) values ('audit', ${key})`
  const [party, list, item] = [newId(), newId(), newId()]
  await sql`insert into parties (id, allowed_roles, name, organization, created_at)
    values (${party}, '{SELLER}', 'S', 'o', now())`
  await sql`insert into catalogues (id, identifiers, seller_id, name, status, created_at)
    values (${list}, '[]', ${party}, 'C', 'ACTIVE', now())`
  await sql`insert into catalogue_items (id, catalogue_id, type, identifiers, name, status, service_type, search_text, created_at)
    values (${item}, ${list}, 'Service', '[]', 'I', 'AVAILABLE', 'REPAIR', '', now())`
  const made = Date.parse('2026-05-01T12:00:00.123Z')
  const patientOf = (name: string) => `https://fhir.example/Patient/${name}`
  const [a, b] = ['https://fhir.example/Organization/a', 'https://fhir.example/Organization/b']
  const hashOf = (name: string) => formerHash(key, patientOf(name))
  /** Audit records, of the creation of the entry by `a` 4 ms after it was made, except as given. */
  const cases: Record<string, { records: Partial<FormerRecord>[]; wanted: string | null }> = {
    hashed: { records: [{}], wanted: a },
    plain: { records: [{ patient: patientOf('plain'), organization: b }], wanted: b },
    'at-once': { records: [{ after: 0 }], wanted: a },
    slashed: { records: [{ organization: `${a}/` }], wanted: a },
    æøå: { records: [{}], wanted: a },
    twice: { records: [{}, { after: 900 }], wanted: a },
    earlier: { records: [{ organization: b, after: -1 }, {}], wanted: a },
    later: { records: [{}, { organization: b, after: 60_000 }], wanted: a },
    refused: { records: [{}, { organization: b, problem: 'duplicate-entry' }], wanted: a },
    read: { records: [{}, { organization: b, operation: 'getBlackList' }], wanted: a },
    several: { records: [{}, { organization: b, after: 900 }], wanted: null },
    nobody: { records: [{ organization: null }, { organization: b, after: 900 }], wanted: null },
    unrecorded: { records: [], wanted: null },
    'of-another': { records: [{ patient: hashOf('another') }], wanted: null }
  }
  for (const [name, { records }] of Object.entries(cases)) {
    await sql`insert into black_list_entries (id, patient, item_id, created_at)
      values (${newId()}, ${patientOf(name)}, ${item}, ${new Date(made)})`
    for (const record of records) {
      const { patient = hashOf(name), organization = a, after = 4, ...row } = record
      await sql`
        insert into audit_events
          (id, recorded, request_id, operation, interaction, problem, user_type, organization, patients, orders)
        values (${newId()}, ${new Date(made + after)}, 'r', ${row.operation ?? 'createBlackList'}, 'create',
          ${row.problem ?? null}, 'MonitoringResponsible', ${organization}, ${[patient]}, '{null}')`
    }
  }
  await migrate(url)
  const rows = await sql`select patient, organization from black_list_entries`
  const found = Object.fromEntries(rows.map((row) => [row.patient, row.organization]))
  for (const [name, { wanted }] of Object.entries(cases)) t.equal(found[patientOf(name)], wanted, name)
  await t.rejects(
    sql`insert into black_list_entries (id, patient, item_id, created_at)
    values (${newId()}, ${patientOf('unrecorded')}, ${item}, now())`,
    { code: '23505' },
    'an entry without organization is unique too'
  )
  const [{ registered_by: registeredBy } = { registered_by: '' }] =
    await sql`select registered_by from parties`
  t.equal(registeredBy, null, 'the registrant of an older party is unknown')
  await sql.end({ timeout: 5 })
})
