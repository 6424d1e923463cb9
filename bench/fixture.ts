import type { Sql } from 'postgres'
import { type Issuer, startIssuer } from '../test/fixtures/issuer.js'
import { type BenchDatabase, connect, startDatabase } from './database.js'
import { type Load, startLoad } from './driver.js'
import { type RunningServer, type ServerKind, type ServerSetting, startServer } from './servers.js'
import type { BenchCaller } from './workloads/workload.js'

/**
 * The environment of a measurement: a database, a token issuer, and the load generator.
 */
export interface Fixture {
  database: BenchDatabase
  url: string
  sql: Sql
  load: Load
  /** A signed token per caller. */
  tokensOf(callers: readonly BenchCaller[]): Promise<string[]>
  /**
   * Starts a server, by default on the database of the run. The server is stopped at the end if it
   * still runs.
   */
  serve(kind: ServerKind, other?: Partial<ServerSetting>): Promise<RunningServer>
}

/**
 * Sets everything up on its own copy, runs, and tears down.
 * @param options `scale` of the year in the database; without it the database is empty.
 */
export async function withFixture(
  { scale }: { scale?: number },
  run: (fixture: Fixture) => Promise<void>
): Promise<void> {
  const stops: (() => unknown)[] = []
  try {
    const database = await startDatabase()
    stops.push(() => database.stop())
    const url = await database.copy('bench_run', scale)
    stops.push(() => database.drop('bench_run'))
    const sql = connect(url)
    stops.push(() => sql.end())
    const issuer = await startIssuer({ teardown: (stop) => stops.push(stop) })
    await issuer.addKey('RS256', SIGNING_KEY)
    const load = await startLoad()
    stops.push(() => load.stop())
    const serve: Fixture['serve'] = async (kind, other) => {
      const server = await startServer(kind, { databaseUrl: url, issuer: issuer.url, ...other })
      stops.push(() => server.stop())
      return server
    }
    const tokensOf: Fixture['tokensOf'] = (callers) =>
      Promise.all(callers.map((caller) => tokenOf(issuer, caller)))
    await run({ database, url, sql, load, tokensOf, serve })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** The permissions of each user type. */
const permissions: Readonly<Record<BenchCaller['userType'], string>> = {
  AdministrativeClerk: 'Party.* Contract.* Catalogue.* CatalogueItem.* Annotation.* WhiteList.*',
  MonitoringResponsible:
    'CatalogueItem.read Annotation.read AuditEvent.read BlackList.* Order.* OrderLine.* TraceLine.read',
  Provider: 'Catalogue.* CatalogueItem.* Order.read Order.update OrderLine.read OrderLine.update'
}

/** The issuer signs with RS256, like most issuers. */
const SIGNING_KEY = 'bench'

/** A token for eight hours. */
function tokenOf(
  issuer: Issuer,
  { userType, organization, name = 'Ada Askov' }: BenchCaller
): Promise<string> {
  const claims = {
    exp: Math.floor(Date.now() / 1000) + 8 * 3600,
    user_type: userType,
    user_id: `${userType} ${organization.split('/').at(-1)} ${name}`,
    name,
    realm_access: { roles: permissions[userType].split(' ') },
    context: { organization_id: organization }
  }
  return issuer.sign(claims, SIGNING_KEY)
}
