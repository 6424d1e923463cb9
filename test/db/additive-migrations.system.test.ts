import { readdirSync, readFileSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase } from '../fixtures/app.js'
import { moreMigrations } from '../fixtures/migrations.js'
import { readyServer } from '../fixtures/server.js'

const additive = `-- Additive: orders get a column that may be null.
ALTER TABLE "orders" ADD COLUMN "newer" text;`

const breaking = 'ALTER TABLE "orders" ADD COLUMN "newer" text;'

t.test('a version serves on a schema with newer additive migrations', async (t) => {
  const url = await cloneDatabase(t)
  await migrate(url, { folder: moreMigrations(t, additive) })
  await migrate(url)
  const server = await readyServer(t, { DATABASE_URL: url })
  t.equal(await server.stop(), 0)
})

t.test('a version does not start on a schema with other newer migrations', async (t) => {
  const url = await cloneDatabase(t)
  await migrate(url, { folder: moreMigrations(t, breaking) })
  await t.rejects(migrate(url), { message: /another version of this program.*cannot serve/ })
  const other = await cloneDatabase(t)
  await migrate(other, { folder: moreMigrations(t, additive) })
  const sql = postgres(other, { max: 1 })
  // Additive, but for a version that is not the previous version.
  await sql`update drizzle.__drizzle_migrations set created_at = 1 where additive`
  await t.rejects(migrate(other), { message: /another version of this program/ })
  await sql`update drizzle.__drizzle_migrations set created_at = 99999999999999 where additive`
  await migrate(other)
  await t.rejects(
    migrate(other, { folder: moreMigrations(t, breaking) }),
    { message: /another version of this program/ },
    'a migration of this version is missing'
  )
  await sql.end()
})

/** Statements that break the former version. A missing index only makes the version slower. */
const BREAKING =
  /\bDROP\b(?! INDEX)|\bRENAME\b|\bSET NOT NULL\b|\bSET DATA TYPE\b|\bTYPE\b|\bADD CONSTRAINT\b|\bUNIQUE\b|\bTRIGGER\b|\bATTACH\b|\bUPDATE\b|\bDELETE\b|ADD COLUMN (?:(?!DEFAULT|;|,)[\s\S])*NOT NULL(?!(?:(?!;|,)[\s\S])*(?:DEFAULT|GENERATED))/i

/** Replaces the body of a trigger function that the former version has. */
const REPLACED_TRIGGER_FUNCTION =
  /CREATE OR REPLACE FUNCTION \w+\(\) RETURNS trigger [^$;]*\$\$(?:(?!\$\$)[\s\S])*\$\$/g

/** The statements of a migration about tables that it does not create itself. */
function statementsOf(text: string): string[] {
  const statements = text.replaceAll(/--.*$/gm, '').replaceAll(REPLACED_TRIGGER_FUNCTION, '').split(';')
  const created = [...text.matchAll(/CREATE TABLE "?(\w+)/gi)].map(([, name = '']) => name)
  const isOfCreated = (statement: string) =>
    created.some((name) =>
      new RegExp(
        `(CREATE TABLE|ALTER TABLE|CREATE [A-Z ]*INDEX [^(]* ON|TRIGGER [^(]* ON) "?${name}\\b`,
        'i'
      ).test(statement)
    )
  return statements.filter((statement) => !isOfCreated(statement))
}

const allMigrations = readdirSync('drizzle/migrations')
  .filter((each) => each.endsWith('.sql'))
  .map((name) => ({ name, text: readFileSync(`drizzle/migrations/${name}`, 'utf8') }))

/** A unique index, which `on conflict` of the former version needs. */
const dropsUniqueIndex = (statement: string) =>
  [...statement.matchAll(/DROP INDEX "(\w+)"/gi)].some(([, index]) =>
    allMigrations.every(({ text }) => !new RegExp(`CREATE INDEX "?${index}\\b`).test(text))
  )

const isBreaking = (text: string) =>
  statementsOf(text).some((statement) => BREAKING.test(statement) || dropsUniqueIndex(statement))

t.test('an additive migration removes nothing that the former version uses', async (t) => {
  for (const text of [
    'ALTER TABLE "orders" DROP COLUMN "name";',
    'ALTER TABLE "orders" RENAME COLUMN "name" TO "title";',
    'ALTER TABLE "orders" ALTER COLUMN "name" SET NOT NULL;',
    'ALTER TABLE "orders" ADD COLUMN "newer" text NOT NULL;',
    'CREATE UNIQUE INDEX "newer" ON "orders" ("name");',
    'DROP INDEX "unknown_or_unique";',
    'CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN; END $$;\nUPDATE "orders" SET "name" = null;',
    'CREATE TRIGGER newer BEFORE UPDATE ON "orders" FOR EACH ROW EXECUTE FUNCTION f();'
  ])
    t.ok(isBreaking(text), text)
  for (const text of [
    additive,
    'ALTER TABLE "orders" ADD COLUMN "newer" text DEFAULT \'\' NOT NULL;',
    'CREATE TABLE "newer" ("id" uuid NOT NULL);\nCREATE UNIQUE INDEX "i" ON "newer" ("id");\nALTER TABLE "newer" ADD CONSTRAINT "c" CHECK (true);',
    'CREATE INDEX "i" ON "orders" ("name");',
    'DROP INDEX "orders_patient_idx";',
    "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'UPDATE' THEN RETURN NEW; END IF; END $$;"
  ])
    t.notOk(isBreaking(text), text)
  for (const { name, text } of allMigrations) {
    if (/^-- Additive\b/.test(text)) t.notOk(isBreaking(text), name)
  }
})
