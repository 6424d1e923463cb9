import { join } from 'node:path'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/index.js'
import { startPgBouncer } from '../../test/fixtures/pgbouncer.js'
import { createServerRole, grantServerRole, SERVER_ROLE } from '../../test/fixtures/server-role.js'

interface TestDatabase {
  /** Variables that lead test files to it. */
  env: Record<string, string>
  stop: () => Promise<void>
}

const TEMPLATE_DATABASE = 'ssl_template'

/** The data need not survive the tests, and no clone lives long enough for vacuum. */
const UNSAFE_FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off'
}

/** Fewer connections to a database than its server opens, so that they are lent in turn. */
const POOLER_SETTINGS = { default_pool_size: '3' }

/**
 * Starts a PostgreSQL with its data in a folder, or uses the one of TEST_DATABASE_URL. A migrated
 * template database is created once; each test works on a clone of it, its servers with a role that
 * does not own it. With TEST_POOLER=true the servers reach their databases through PgBouncer.
 */
export async function startDatabase(folder: string): Promise<TestDatabase> {
  const { TEST_DATABASE_URL, TEST_POOLER } = process.env
  const server = TEST_DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: UNSAFE_FAST_SETTINGS })
  const url = TEST_DATABASE_URL ?? server?.url ?? ''
  try {
    await createServerRole(url)
    await createTemplate(url)
    const pooler = TEST_POOLER === 'true' ? await startPgBouncer(url, POOLER_SETTINGS) : undefined
    const env = {
      TEST_DATABASE_URL: url,
      TEST_TEMPLATE: TEMPLATE_DATABASE,
      TEST_SERVER_ROLE: SERVER_ROLE,
      ...(pooler && { TEST_POOLER_URL: pooler.through(url) })
    }
    const stop = async () => {
      await pooler?.stop()
      await server?.stop()
    }
    return { env, stop }
  } catch (error) {
    await server?.stop()
    throw error
  }
}

async function createTemplate(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  await client.unsafe(`drop database if exists ${TEMPLATE_DATABASE}`)
  await client.unsafe(`create database ${TEMPLATE_DATABASE}`)
  await client.end()
  await grantServerRole(Object.assign(new URL(url), { pathname: `/${TEMPLATE_DATABASE}` }).href)
}
