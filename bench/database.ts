import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { createTerminology } from '../src/terminology/terminology.js'
import { annotationNames } from './workloads/workload.js'

/** The folder for data kept between runs. */
export const CACHE_FOLDER = join(import.meta.dirname, 'cache')

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
   * Creates a copy of the year at this scale, and drops an earlier copy of the same name. Without a
   * scale its tables are empty.
   */
  copy(name: string, scale?: number): Promise<string>
  drop(name: string): Promise<void>
  stop(): Promise<void>
}

/** Starts PostgreSQL on the stored data folder. A missing year is created on first use. */
export async function startDatabase(): Promise<BenchDatabase> {
  const dataDir = join(CACHE_FOLDER, 'postgres')
  const server = await startEmbeddedPostgres({ dataDir, settings: production })
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const admin = connect(urlOf('postgres'))
  const drop = async (name: string) =>
    void (await admin.unsafe(`drop database if exists ${name} with (force)`))

  async function create(name: string, template = 'template1'): Promise<string> {
    await drop(name)
    await admin.unsafe(`create database ${name} template ${template}`)
    return urlOf(name)
  }

  /** The database with the year; its name has the version of the generator. */
  async function yearTemplate(scale: number): Promise<string> {
    const name = `year_10_${String(scale).replace('.', '_')}`
    const [found] = await admin`select from pg_database where datname = ${name}`
    if (found) return name
    process.stderr.write(`Making a year of data at scale ${scale}, once …\n`)
    const url = await create('year_unfinished')
    await migrate(url)
    await fillYear(url, scale)
    await admin.unsafe(`alter database year_unfinished rename to ${name}`)
    return name
  }

  const postmaster = readFileSync(join(dataDir, 'cluster', 'data', 'postmaster.pid'), 'utf8')
  return {
    pid: Number(postmaster.split('\n')[0]),
    async copy(name, scale) {
      if (scale !== undefined) return create(name, await yearTemplate(scale))
      const url = await create(name)
      await migrate(url)
      return url
    },
    drop,
    async stop() {
      await admin.end()
      await server.stop()
    }
  }
}

/** A client with one connection. */
export const connect = (url: string, connection: postgres.Options<never>['connection'] = {}): Sql =>
  postgres(url, { max: 1, onnotice: () => {}, connection })

/** Fills a migrated database with a year of data, the same at each run. */
async function fillYear(url: string, scale: number): Promise<void> {
  const terminology = createTerminology({ base: 'https://valuesets.example/vs', platformPrefix: 'ehealth' })
  const choices = annotationNames.map((name, at) => ({
    place: at + 1,
    name,
    codings: terminology
      .annotationSet(name)
      .displayed.map(({ system, ...others }) => ({ ...others, system: terminology.storedSystem(system) }))
  }))
  // All rows refer to existing rows, so the load skips two million foreign key checks.
  const sql = connect(url, { session_replication_role: 'replica', maintenance_work_mem: '256MB' })
  try {
    await sql`
      create temp table choices as select place, name, array(select jsonb_array_elements(codings)) as codings
      from jsonb_to_recordset(${sql.json(choices)}) as r(place int, name text, codings jsonb)`
    await sql`select set_config('bench.scale', ${String(scale)}, false)`
    await sql.file(join(import.meta.dirname, 'year.sql'))
    await sql`vacuum (analyze, freeze)`
  } finally {
    await sql.end()
  }
}
