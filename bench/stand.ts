import { OAuth2Server } from 'oauth2-mock-server'
import postgres, { type Sql } from 'postgres'
import { makeReadModel } from './bare/search.js'
import { type BenchDatabase, startDatabase } from './database.js'
import { type Load, startLoad } from './round.js'
import { type BenchServerKind, type RunningServer, startKind } from './servers.js'
import type { BenchCaller } from './works/work.js'

/** All that a measurement stands on: a database with a year of data, an issuer of tokens, and the load. */
export interface Stand {
  database: BenchDatabase
  url: string
  sql: Sql
  issuer: Issuer
  load: Load
  /** Starts a server, on the database unless another is named; what is not stopped is stopped in the end. */
  serve(
    kind: BenchServerKind,
    other?: { databaseUrl?: string; nodeArguments?: readonly string[] }
  ): Promise<RunningServer>
}

export interface StandOptions {
  scale: number
  /** Settings of PostgreSQL besides the usual ones. */
  settings?: Readonly<Record<string, string>>
}

/** Sets everything up on a copy of its own, runs, and takes everything down again. */
export async function onStand(
  { scale, settings = {} }: StandOptions,
  run: (stand: Stand) => Promise<void>
): Promise<void> {
  const database = await startDatabase(settings)
  const name = 'bench_run'
  try {
    const url = await database.copy(name, scale)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const issuer = await startIssuer()
    const load = await startLoad()
    const servers: RunningServer[] = []
    const serve: Stand['serve'] = async (kind, other = {}) => {
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

/** A token issuer on this machine. */
interface Issuer {
  url: string
  /** A signed token of each caller. */
  tokensOf(callers: readonly BenchCaller[]): Promise<string[]>
  stop(): Promise<void>
}

/** What each user type's work needs. */
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

/** Starts an issuer of tokens that are signed with RS256, as most are. */
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
