import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { migrate } from '../src/db/migrate.js'
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.js'
import { fillYear } from './year/fill.js'

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
   */
  copy(name: string, scale: number): Promise<string>
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
    async copy(name, scale) {
      return create(name, await yearTemplate(admin, urlOf, scale))
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
const edition = 1

async function yearTemplate(admin: Sql, urlOf: (name: string) => string, scale: number): Promise<string> {
  const name = `year_${edition}_${String(scale).replace('.', '_')}`
  const [found] = await admin`select 1 from pg_database where datname = ${name}`
  if (found) return name
  process.stderr.write(`Making a year of data at scale ${scale}, once …\n`)
  const growing = `${name}_growing`
  await admin.unsafe(`drop database if exists ${growing} with (force)`)
  await admin.unsafe(`create database ${growing}`)
  await migrate(urlOf(growing))
  await fillYear(urlOf(growing), scale)
  await admin.unsafe(`alter database ${growing} rename to ${name}`)
  return name
}
