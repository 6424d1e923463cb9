import { OAuth2Server } from 'oauth2-mock-server'
import postgres, { type Sql } from 'postgres'
import { makeReadModel } from './bare/search.js'
import { type BenchDatabase, startDatabase } from './database.js'
import { type Load, startLoad } from './round.js'
import { type BenchServerKind, type RunningServer, startKind } from './servers.js'
import type { BenchCaller } from './workloads/workload.js'

/**
 * The environment of a measurement: a database with a year of data, a token issuer, and the load
 * generator.
 */
export interface Fixture {
  database: BenchDatabase
  url: string
  sql: Sql
  issuer: Issuer
  load: Load
  /**
   * Starts a server, by default on the database of the run. It is stopped at the end if still
   * running.
   */
  serve(kind: BenchServerKind, other?: { databaseUrl?: string }): Promise<RunningServer>
}

export interface FixtureOptions {
  scale: number
  /** Further settings of PostgreSQL. */
  settings?: Readonly<Record<string, string>>
}

/** Sets everything up on its own copy, runs, and tears down. */
export async function withFixture(
  { scale, settings = {} }: FixtureOptions,
  run: (fixture: Fixture) => Promise<void>
): Promise<void> {
  const database = await startDatabase(settings)
  const name = 'bench_run'
  try {
    const url = await database.copy(name, scale)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const issuer = await startIssuer()
    const load = await startLoad()
    const servers: RunningServer[] = []
    const serve: Fixture['serve'] = async (kind, other = {}) => {
      const server = await startKind(kind, { databaseUrl: url, issuer: issuer.url, ...other })
      servers.push(server)
      return server
    }
    try {
      await makeReadModel(sql)
      await run({ database, url, sql, issuer, load, serve })
    } finally {
      for (const server of servers) await server.stop()
      load.stop()
      await issuer.stop()
      await sql.end()
      await database.drop(name)
    }
  } finally {
    await database.stop()
  }
}

/** A local token issuer. */
interface Issuer {
  url: string
  /** A signed token per caller. */
  tokensOf(callers: readonly BenchCaller[]): Promise<string[]>
  stop(): Promise<void>
}

/** The permissions of each user type. */
const roles: Readonly<Record<BenchCaller['userType'], readonly string[]>> = {
  AdministrativeClerk: [
    'Party.*',
    'Contract.*',
    'Catalogue.*',
    'CatalogueItem.*',
    'Annotation.*',
    'WhiteList.*'
  ],
  MonitoringResponsible: [
    'CatalogueItem.read',
    'Annotation.read',
    'AuditEvent.read',
    'BlackList.*',
    'Order.*',
    'OrderLine.*',
    'TraceLine.read'
  ],
  Provider: [
    'Catalogue.*',
    'CatalogueItem.*',
    'Order.read',
    'Order.update',
    'OrderLine.read',
    'OrderLine.update'
  ]
}

/** Starts an issuer that signs with RS256, like most. */
async function startIssuer(): Promise<Issuer> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, '127.0.0.1')
  const url = server.issuer.url ?? ''
  return {
    url,
    tokensOf: (callers) => Promise.all(callers.map((caller) => tokenOf(server, caller))),
    stop: () => server.stop()
  }
}

const tokenOf = (server: OAuth2Server, { userType, organization }: BenchCaller): Promise<string> =>
  server.issuer.buildToken({
    expiresIn: 8 * 3600,
    scopesOrTransform: (_header, claims) =>
      Object.assign(claims, {
        user_type: userType,
        user_id: `${userType}-${organization.split('/').at(-1)}`,
        name: 'Ada Askov',
        realm_access: { roles: roles[userType] },
        context: { organization_id: organization }
      })
  })
