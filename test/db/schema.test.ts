import { readdirSync, readFileSync } from 'node:fs'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { getTableName, is } from 'drizzle-orm'
import { isPgSequence, PgTable } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import t, { type Test } from 'tap'
import { tableRights } from '../../src/table-rights.js'
import { cloneDatabase } from '../fixtures/app.js'

/** All tables and sequences that the `tables.ts` files of the program export, by their exported name. */
async function exportedTables(): Promise<Record<string, unknown>> {
  const folders = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('/tables.ts'))
    .map((name) => name.slice(0, -'/tables.ts'.length))
  const modules = await Promise.all(folders.map((folder) => import(`../../src/${folder}/tables.ts`)))
  return Object.fromEntries(
    modules.flatMap((module) =>
      Object.entries(module).filter(([, each]) => is(each, PgTable) || isPgSequence(each))
    )
  )
}

/** The schema as PostgreSQL describes it, by object name, without partitions. */
const catalogue: Readonly<Record<string, string>> = {
  columns: `
    select c.relname || '.' || a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity) as is
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped`,
  constraints: `
    select conrelid::regclass || '.' || conname as name, pg_get_constraintdef(oid) as is
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
      and exists (select from pg_class where oid = conrelid and not relispartition)`,
  indexes: `
    select tablename || '.' || indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as is from pg_indexes where schemaname = 'public'
      and not exists (select from pg_class where oid = to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename)) and relispartition)`
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

/** The extension, and the functions of generated columns and defaults, which Drizzle cannot declare. */
const prerequisites =
  readFileSync('drizzle/migrations/0000_baseline.sql', 'utf8').match(
    /^CREATE (?:EXTENSION|FUNCTION .* LANGUAGE sql)[\s\S]*?;$/gm
  ) ?? []

t.test('the migrated database has the columns, constraints and indexes of the tables', async (t) => {
  const statements = await generateMigration(
    generateDrizzleJson({}) as Parameters<typeof generateMigration>[0],
    generateDrizzleJson(await exportedTables()) as Parameters<typeof generateMigration>[1]
  )
  const made = await connected(t, 'template0')
  // A function may refer to a table that is created later.
  await made`set check_function_bodies = off`
  for (const prerequisite of prerequisites) await made.unsafe(prerequisite)
  for (const statement of statements) await made.unsafe(statement)
  const [migrated, wanted] = [await schemaOf(await connected(t)), await schemaOf(made)]
  for (const kind of Object.keys(catalogue)) {
    t.ok(Object.keys(wanted[kind] ?? {}).length > 20, kind)
    t.same(migrated[kind], wanted[kind], kind)
  }
})

/** Objects of the baseline that Drizzle tables cannot declare. */
const triggers = {
  audit_events_append_only:
    'CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()',
  audit_events_no_truncate:
    'CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()',
  black_list_entries_patient:
    'CREATE TRIGGER black_list_entries_patient BEFORE INSERT OR UPDATE OF patient ON public.black_list_entries FOR EACH ROW EXECUTE FUNCTION set_current_patient()',
  devices_organizations_changed:
    'CREATE TRIGGER devices_organizations_changed BEFORE UPDATE OF buyer_id, seller_id ON public.devices FOR EACH ROW WHEN (((old.buyer_id <> new.buyer_id) OR (old.seller_id <> new.seller_id))) EXECUTE FUNCTION set_organizations()',
  devices_organizations_inserted:
    'CREATE TRIGGER devices_organizations_inserted BEFORE INSERT ON public.devices FOR EACH ROW EXECUTE FUNCTION set_organizations()',
  events_append_only:
    'CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_event_change()',
  events_no_truncate:
    'CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()',
  order_lines_inserted:
    'CREATE TRIGGER order_lines_inserted BEFORE INSERT ON public.order_lines FOR EACH ROW EXECUTE FUNCTION copy_order_to_new_line()',
  orders_changed:
    'CREATE TRIGGER orders_changed AFTER UPDATE ON public.orders FOR EACH ROW WHEN (((old.buyer_organization IS DISTINCT FROM new.buyer_organization) OR (old.seller_organization IS DISTINCT FROM new.seller_organization) OR (old.patient IS DISTINCT FROM new.patient) OR (old.submitted_at IS DISTINCT FROM new.submitted_at) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION copy_order_to_lines()',
  orders_organizations_changed:
    'CREATE TRIGGER orders_organizations_changed BEFORE UPDATE OF buyer_id, seller_id ON public.orders FOR EACH ROW WHEN (((old.buyer_id <> new.buyer_id) OR (old.seller_id <> new.seller_id))) EXECUTE FUNCTION set_organizations()',
  orders_organizations_inserted:
    'CREATE TRIGGER orders_organizations_inserted BEFORE INSERT ON public.orders FOR EACH ROW EXECUTE FUNCTION set_organizations()',
  orders_patient_changed:
    'CREATE TRIGGER orders_patient_changed BEFORE UPDATE OF patient ON public.orders FOR EACH ROW WHEN ((old.patient <> new.patient)) EXECUTE FUNCTION set_current_patient()',
  orders_patient_inserted:
    'CREATE TRIGGER orders_patient_inserted BEFORE INSERT ON public.orders FOR EACH ROW EXECUTE FUNCTION set_current_patient()',
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
  t.same(Object.fromEntries(rows.map((row) => [row.name, row.is])), triggers)
  for (const { name, enabled } of rows) t.equal(enabled, 'O', name)
  for (const [parent, stored] of [
    ['audit_events', ['orders e', 'patients e']],
    ['events', []]
  ] as const) {
    const partitions = await sql`
      select relid::text as table,
        array(select tgname::text from pg_trigger where tgrelid = relid and tgenabled = 'O' order by 1) as triggers,
        array(select attname || ' ' || attstorage::text from pg_attribute
          where attrelid = relid and attname in ('orders', 'patients') order by 1) as stored
      from pg_partition_tree(${parent}::text::regclass)`
    t.ok(partitions.length > 4)
    const wanted = { triggers: [`${parent}_append_only`, `${parent}_no_truncate`], stored }
    for (const { table, ...found } of partitions) t.same(found, wanted, table)
  }
})

const [id, other] = ['01a1fd78-8070-733a-b409-86d8293d59aa', '01a1fd78-8070-733a-b409-86d8293d59ab']

/** Rows of the append-only tables. */
const appended = {
  trace_lines: `
    with party as (
      insert into parties (id, allowed_roles, name, organization, created_at)
      values ('${id}', '{BUYER}', 'p', 'https://o', now()) returning id
    ), wanted as (
      insert into orders (id, identifiers, status, priority, notes, buyer_id, seller_id, receiver_name, patient, search_text, revision, trace_count, created_at, changed_at)
      select '${id}', '[]', 'DRAFT', false, '[]', id, id, 'r', 'https://p', '', 1, 1, now(), now() from party returning id
    )
    insert into trace_lines (id, order_id, seq, timestamp, created_by_organization, code, text, supplementary_text)
    select '${id}', id, 1, now(), 'o', 'c', 't', 's' from wanted`,
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

t.test('the serving role has rights on each table', async (t) => {
  const tables = Object.values(await exportedTables()).filter((each) => is(each, PgTable))
  t.same(tableRights.map(([table]) => getTableName(table)).sort(), tables.map(getTableName).sort())
})
