import postgres, { type Sql } from 'postgres'
import { makeReadModel } from './bare/read-model.js'
import { type BenchDatabase, startDatabase } from './database.js'
import { type Load, startLoad } from './round.js'
import { type RunningServer, startKind } from './running.js'
import type { BenchServerKind } from './servers.js'
import { type Issuer, startIssuer } from './tokens.js'

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
