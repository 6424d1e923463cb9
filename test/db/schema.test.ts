import { readFileSync } from 'node:fs'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import postgres, { type Sql } from 'postgres'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { exportedTables } from '../fixtures/tables.js'

/**
 * The schema as PostgreSQL describes it, by object name, without partitions, and without shards,
 * which Citus hides in `pg_class`. The generated columns `json_bytes` and `words` exist only in the
 * database; test/db/serializers.test.ts and test/catalogue/words.test.ts check them.
 */
const catalogue: Readonly<Record<string, string>> = {
  columns: `
    select c.relname || '.' || a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity) as is
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and not (a.attname in ('json_bytes', 'words') and a.attgenerated = 's')`,
  constraints: `
    select conrelid::regclass || '.' || conname as name, pg_get_constraintdef(oid) as is
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
      and exists (select from pg_class where oid = conrelid and not relispartition)`,
  indexes: `
    select tablename || '.' || indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as is from pg_indexes where schemaname = 'public'
      and not exists (select from pg_class where oid = to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename)) and relispartition)
      and indexname <> tablename || '_words_idx'`
}

async function schemaOf(sql: Sql): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {}
  for (const [kind, query] of Object.entries(catalogue)) {
    const rows = await sql.unsafe<{ name: string; is: string }[]>(`${query} order by 1`)
    found[kind] = Object.fromEntries(rows.map((row) => [row.name, row.is]))
  }
  return found
}

/** A connection to a clone, closed before the clone is dropped. */
async function connected(t: Test, template?: string): Promise<Sql> {
  const sql = postgres(await cloneDatabase(t, template), { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  return sql
}

t.test('the migrated database has the columns, constraints and indexes of the tables', async (t) => {
  const statements = await generateMigration(
    generateDrizzleJson({}) as Parameters<typeof generateMigration>[0],
    generateDrizzleJson(await exportedTables()) as Parameters<typeof generateMigration>[1]
  )
  const made = await connected(t, 'template0')
  await made.unsafe('create extension pg_trgm')
  for (const statement of statements) await made.unsafe(statement)
  const [migrated, wanted] = [await schemaOf(await connected(t)), await schemaOf(made)]
  for (const kind of Object.keys(catalogue)) {
    t.ok(Object.keys(wanted[kind] ?? {}).length > 20, kind)
    t.same(migrated[kind], wanted[kind], kind)
  }
})

/** Objects of migrations that Drizzle tables cannot declare. */
const triggers = {
  audit_events_append_only:
    'CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()',
  audit_events_no_truncate:
    'CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()',
  events_append_only:
    'CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_event_change()',
  events_no_truncate:
    'CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()',
  trace_lines_append_only:
    'CREATE TRIGGER trace_lines_append_only BEFORE DELETE OR UPDATE ON public.trace_lines FOR EACH ROW EXECUTE FUNCTION refuse_trace_change()',
  trace_lines_no_truncate:
    'CREATE TRIGGER trace_lines_no_truncate BEFORE TRUNCATE ON public.trace_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_trace_change()'
}

t.test('the migrated database has these enabled triggers and uncompressed columns', async (t) => {
  const sql = await connected(t)
  const rows = await sql<{ name: string; is: string; enabled: string }[]>`
    select tgname as name, pg_get_triggerdef(pg_trigger.oid) as is, tgenabled as enabled
    from pg_trigger join pg_class on pg_class.oid = tgrelid where not tgisinternal and not relispartition order by tgname`
  t.match(Object.fromEntries(rows.map((row) => [row.name, row.is])), triggers)
  for (const { name, enabled } of rows) t.equal(enabled, 'O', name)
  const partitions = await sql`
    select relid::text as table,
      array(select tgname::text from pg_trigger where tgrelid = relid and tgenabled = 'O' order by 1) as triggers,
      array(select attname || ' ' || attstorage::text from pg_attribute
        where attrelid = relid and attname in ('orders', 'patients') order by 1) as stored
    from pg_partition_tree('audit_events')`
  t.ok(partitions.length > 4)
  for (const { table, ...found } of partitions)
    t.same(
      found,
      {
        triggers: ['audit_events_append_only', 'audit_events_no_truncate'],
        stored: ['orders e', 'patients e']
      },
      table
    )
})

const [id, other] = ['01a1fd78-8070-733a-b409-86d8293d59aa', '01a1fd78-8070-733a-b409-86d8293d59ab']

/** Rows of the append-only tables. */
const appended = {
  trace_lines: `
    with party as (
      insert into parties values ('${id}', '{BUYER}', 'p', null, 'https://o', now()) returning id
    ), wanted as (
      insert into orders (id, identifiers, status, priority, notes, buyer_id, seller_id, receiver_name, patient, search_text, revision, trace_count, created_at, changed_at)
      select '${id}', '[]', 'DRAFT', false, '[]', id, id, 'r', 'https://p', '', 1, 1, now(), now() from party returning id
    )
    insert into trace_lines (id, order_id, seq, timestamp, created_by_organization, text, supplementary_text)
    select '${id}', id, 1, now(), 'o', 't', 's' from wanted`,
  audit_events: `
    insert into audit_events (id, recorded, request_id, operation, interaction, user_type, patients, orders)
    values ('${id}', now(), 'r', 'o', 'read', 'u', '{}', '{}')`,
  events: `
    insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
    values (now(), '${id}', 'party.changed', 'created', '${id}', '${id}', 1, false)`
}

t.test('rows of an append-only table cannot be changed or deleted', async (t) => {
  const sql = await connected(t)
  for (const [table, insert] of Object.entries(appended)) {
    await sql.unsafe(insert)
    for (const statement of [
      `update ${table} set id = '${other}'`,
      `update ${table} set id = id where id = '${id}'`,
      `delete from ${table}`,
      `truncate ${table}`,
      `truncate ${table} cascade`
    ])
      await t.rejects(sql.unsafe(statement), { code: '23001' }, statement)
    const [row] = await sql.unsafe(`select count(*)::int as n from ${table} where id = '${id}'`)
    t.equal(row?.n, 1, table)
  }
})

/** Rows of earlier versions, by the migration after which they may exist. */
const left: Readonly<Record<string, string[]>> = {
  '0002_append_only_trace': [
    `insert into parties (id, allowed_roles, name, organization, created_at)
     values ('${id}', '{BUYER,SELLER,ACCOUNTING}', 'Party', 'https://fhir.example/Organization/o', '2026-01-01Z')`,
    `insert into contracts values ('${id}', 'Contract', '2020-01-01', '2999-12-31', '${id}', '${id}', 30, '2026-01-01Z')`,
    `insert into contract_buyers values ('${id}', 0, '${id}')`,
    `insert into catalogues values ('${id}', '[]', '${id}', 'Catalogue', 'ACTIVE', '2026-01-01Z')`,
    `insert into catalogue_items (id, catalogue_id, type, identifiers, name, status, manufacturer, model, search_text, created_at)
     values ('${id}', '${id}', 'DeviceModel', '[]', 'Item', 'AVAILABLE', 'a', 'b', 'item b a', '2026-01-01Z')`,
    `insert into item_identifiers values ('${id}', 'digest', '${id}')`,
    `insert into annotations values ('${id}', '${id}', '${id}', 'name', 'https://s', 'c', null, '2026-01-01Z')`,
    `insert into white_list_entries values ('${id}', '${id}', '${id}', '2026-01-01Z')`,
    `insert into black_list_entries (id, patient, item_id, created_at)
     values ('${id}', 'https://fhir.example/Patient/p', '${id}', '2026-01-01Z')`,
    `insert into orders (id, identifiers, status, priority, notes, buyer_id, seller_id, receiver_name, patient, search_text, revision, trace_count, created_at, changed_at, submitted_at)
     values ('${id}', '[]', 'SUBMITTED', false, '[]', '${id}', '${id}', 'Receiver', 'https://fhir.example/Patient/p', 'receiver', 2, 1, '2026-01-01Z', '2026-01-02Z', '2026-01-02Z')`,
    `insert into order_lines (id, order_id, item_id, status, action, created_at)
     values ('${id}', '${id}', '${id}', 'SUBMITTED', 'DELIVER', '2026-01-01Z')`,
    `insert into trace_lines values ('${id}', '${id}', 1, '2026-01-01Z', 'Party', 'Order created.', 'Status: DRAFT.', null, null, null)`,
    `insert into secrets values ('audit', '\\x00')`
  ],
  '0005_append_only_audit': [
    `insert into audit_events (id, recorded, request_id, operation, interaction, user_type, organization, patients, orders)
     values ('${id}', '2026-01-01Z', 'r', 'getOrder', 'read', 'MonitoringResponsible', 'https://fhir.example/Organization/o', '{p}', '{${id}}')`
  ],
  '0006_imports': [
    `insert into imports (id, state, phase, rows_done, rows, is_rehearsal, user_type, created_at, changed_at)
     values ('${id}', 'succeeded', 'writing', 1, 1, false, 'Provider', '2026-01-01Z', '2026-01-01Z')`
  ],
  '0013_idempotency_keys': [
    `insert into idempotency_keys values ('\\x00', '\\x01', '${id}', '2026-01-01Z', '{"ids": []}', '2026-01-01Z')`
  ],
  '0018_events': [
    `insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
     values ('2026-01-01Z', '${id}', 'party.changed', 'created', '${id}', '${id}', 1, false)`
  ],
  '0019_subscriptions': [
    `insert into subscriptions (id, organization, target, types, user_type, permissions, status, revision, test_count, created_at)
     values ('${id}', 'https://fhir.example/Organization/o', 'https://hooks.example.org', '{order.created}', 'Provider', '{}', 'ACTIVE', 1, 1, '2026-01-01Z')`,
    `insert into subscription_secrets (id, subscription_id, sealed) values ('${id}', '${id}', '\\x00')`,
    `insert into subscription_deliveries (subscription_id, position, position_at, failures, attempts)
     values ('${id}', 0, '2026-01-01Z', 0, '[]')`
  ],
  '0020_import_history': [
    `insert into catalogue_imports (id, catalogue_id, seller_id, user_type, counts, recorded_at)
     values ('${id}', '${id}', '${id}', 'Provider', '{}', '2026-01-01Z')`,
    `insert into catalogue_import_rows values ('${id}', 0, 'item', '{${id}}', null)`
  ],
  '0025_devices_at_home': [
    `insert into devices (line_id, order_id, buyer_id, seller_id, item_id, used_from)
     values ('${id}', '${id}', '${id}', '${id}', '${id}', '2026-01-01Z')`,
    `insert into reminders values ('${id}', 'LATE', '2026-01-01Z')`
  ],
  '0026_replaced_organizations': [
    `insert into replaced_organizations values ('https://fhir.example/Organization/o', 'https://fhir.example/Organization/p')`
  ]
}

/** Columns whose values a migration writes in another form. */
const converted: Readonly<Record<string, { table: string; row: object }>> = {
  '0012_compact_audit': { table: 'audit_events', row: { patients: [Buffer.from('p')] } }
}

t.test('each migration keeps the rows of earlier versions', async (t) => {
  const sql = await connected(t, 'template0')
  const { entries } = JSON.parse(readFileSync('drizzle/migrations/meta/_journal.json', 'utf8'))
  const rows = new Map<string, object[]>()
  const tablesOf = (statements: readonly string[]) =>
    statements.map((each) => /insert into (\w+)/.exec(each)?.[1] ?? '')
  for (const { tag } of entries as { tag: string }[]) {
    await sql.unsafe(readFileSync(`drizzle/migrations/${tag}.sql`, 'utf8'))
    const { table: rewritten = '', row } = converted[tag] ?? {}
    if (row)
      rows.set(
        rewritten,
        (rows.get(rewritten) ?? []).map((each) => ({ ...each, ...row }))
      )
    for (const statement of left[tag] ?? []) await sql.unsafe(statement)
    for (const table of tablesOf(left[tag] ?? [])) rows.set(table, await sql.unsafe(`select * from ${table}`))
    for (const [table, before] of rows)
      t.match(await sql.unsafe(`select * from ${table}`), before, `${table} after ${tag}`)
  }
  const [{ n } = { n: 0 }] = await sql`
    select count(*)::int as n from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  t.equal(rows.size, n, 'there is a row for every table')
})
