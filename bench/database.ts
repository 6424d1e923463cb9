import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { partitionOrders } from '../scripts/test/partition-orders.js'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { createTerminology } from '../src/terminology/terminology.js'
import { writeEvents } from './year/events.js'
import { writeItems } from './year/items.js'
import { writeOrders } from './year/orders.js'
import { writeMarket } from './year/parties.js'
import { seeded, sizeAt } from './year/random.js'
import { openTables, TABLE_COUNT } from './year/tables.js'

/** The folder for data kept between runs. */
export const cache = join(import.meta.dirname, 'cache')

/** Durable, with the memory of a dedicated server. */
const production = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  work_mem: '16MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  max_connections: '200'
}

/** The PostgreSQL of a run. */
export interface BenchDatabase {
  /** Process id of the postmaster. */
  pid: number
  /**
   * Creates a fresh copy of the year at this scale from its template; drops an earlier copy of the
   * name.
   * @param isPartitioned partitions orders by their id, as a cluster distributes them.
   */
  copy(name: string, scale: number, isPartitioned?: boolean): Promise<string>
  /** An empty, unmigrated database. */
  empty(name: string): Promise<string>
  drop(name: string): Promise<void>
  stop(): Promise<void>
}

/** Starts PostgreSQL on the kept data folder; a missing year is created on first use. */
export async function startDatabase(settings: Readonly<Record<string, string>> = {}): Promise<BenchDatabase> {
  const server = await startEmbeddedPostgres({
    dataDir: join(cache, 'postgres'),
    settings: { ...production, ...settings }
  })
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const admin = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
  const drop = async (name: string) =>
    void (await admin.unsafe(`drop database if exists ${name} with (force)`))
  const create = async (name: string, template: string) => {
    await drop(name)
    await admin.unsafe(`create database ${name} template ${template}`)
    return urlOf(name)
  }
  return {
    pid: Number(
      readFileSync(join(cache, 'postgres', 'cluster', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]
    ),
    async copy(name, scale, isPartitioned = false) {
      return create(name, await yearTemplate(admin, urlOf, scale, isPartitioned))
    },
    empty: (name) => create(name, 'template1'),
    drop,
    async stop() {
      await admin.end()
      await server.stop()
    }
  }
}

/** Version of the generator, so that an older year is not reused. */
const edition = 2

async function yearTemplate(
  admin: Sql,
  urlOf: (name: string) => string,
  scale: number,
  isPartitioned: boolean
): Promise<string> {
  const name = `year_${edition}_${String(scale).replace('.', '_')}${isPartitioned ? '_partitioned' : ''}`
  const [found] = await admin`select 1 from pg_database where datname = ${name}`
  if (found) return name
  process.stderr.write(`Making a year of data at scale ${scale}, once …\n`)
  const growing = `${name}_growing`
  await admin.unsafe(`drop database if exists ${growing} with (force)`)
  await admin.unsafe(`create database ${growing}`)
  await migrate(urlOf(growing))
  if (isPartitioned) {
    const sql = postgres(urlOf(growing), { max: 1, onnotice: () => {} })
    await partitionOrders(sql)
    await sql.end()
  }
  await fillYear(urlOf(growing), scale)
  await admin.unsafe(`alter database ${growing} rename to ${name}`)
  return name
}

/** Fills a migrated database with a year of data, the same for the same seed and scale. */
async function fillYear(url: string, scale: number, seed = 1): Promise<void> {
  const size = sizeAt(scale)
  const random = seeded(seed)
  const terminology = createTerminology({ base: 'https://valuesets.example/vs', platformPrefix: 'ehealth' })
  // Rows refer to rows written before, so that two million foreign key checks can be skipped.
  const sql = postgres(url, {
    max: TABLE_COUNT,
    onnotice: () => {},
    connection: { session_replication_role: 'replica', maintenance_work_mem: '256MB' }
  })
  try {
    const tables = await openTables(sql)
    const market = writeMarket(random, size, tables)
    const assortments = await writeItems(random, size, { market, terminology }, tables)
    await writeOrders(random, size, assortments, tables)
    for (const table of Object.values(tables)) await table.end()
  } finally {
    await sql.end()
  }
  const after = postgres(url, { max: 1, onnotice: () => {}, connection: { maintenance_work_mem: '256MB' } })
  await writeEvents(after)
  await after.unsafe('vacuum (analyze, freeze)')
  await after.end()
}
