import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../test/fixtures/free-port.js'
import { limitStatements, startPgBouncer } from '../test/fixtures/pgbouncer.js'
import { CACHE_FOLDER } from './database.js'
import { publicUrl } from './workloads/workload.js'

/**
 * A server that can be measured: how to start it, and its settings in addition to `DATABASE_URL`,
 * `PORT` and `PUBLIC_URL`.
 */
export interface ServerKind {
  name: string
  title: string
  /** Arguments of `node`, run in the project folder. */
  command: readonly string[]
  env?: Environment
  /** Whether the server verifies tokens. If so, it gets the issuer and a production environment. */
  verifies?: boolean
  /** Whether it reaches PostgreSQL through PgBouncer in transaction mode. */
  pooled?: boolean
  /** The fraction of the data in its database. All without. */
  share?: number
}

type Environment = Readonly<Record<string, string>>

/** Bundles are made in the current folder. */
const project = join(import.meta.dirname, '..')
process.chdir(project)

const program = join(project, 'dist', 'program', 'main.js')

export const product: ServerKind = {
  name: 'product',
  title: 'the product',
  command: [program],
  verifies: true
}

const serverKinds: readonly ServerKind[] = [
  product,
  {
    ...product,
    ...{ name: 'pooled', title: 'the product through PgBouncer', pooled: true },
    env: { DATABASE_POOLER: 'transaction' }
  },
  { ...product, name: 'tenth', title: 'the product with a tenth of the data', share: 0.1 },
  {
    name: 'bare',
    title: 'bare Fastify + postgres.js',
    command: ['--import', 'tsx', join(project, 'bench', 'bare', 'server.ts')]
  }
]

/** The server of a name. */
export const serverNamed = (name: string): ServerKind => entryNamed('server', serverKinds, name)

/** The entry of a name. */
export function entryNamed<T extends { name: string }>(what: string, all: readonly T[], name: string): T {
  const found = all.find((each) => each.name === name)
  if (found) return found
  throw new Error(`There is no ${what} ${name}: ${all.map((each) => each.name).join(', ')}.`)
}

/** A running server. */
export interface RunningServer {
  title: string
  pid: number
  origin: string
  /** The longest delay of its event loop since the last call, in milliseconds. */
  longestHold(): Promise<number>
  stop(): Promise<void>
}

/** Start timeout of a server. */
const START_TIMEOUT_MS = 60_000

/**
 * Starts a server with these settings and waits until it is ready. Its output goes to a file, like
 * the log of a service.
 */
export async function launchServer(
  { name, title, command }: ServerKind,
  env: Environment
): Promise<RunningServer> {
  const port = await freePort()
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const log = openSync(join(CACHE_FOLDER, `${name}.log`), 'w')
  const child = spawn(process.execPath, ['--import', join(import.meta.dirname, 'probe.mjs'), ...command], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...env },
    stdio: ['ignore', log, log, 'ipc']
  })
  const ended = once(child, 'exit')
  const longestHold = async () => {
    child.send('report')
    const [answer] = await once(child, 'message')
    return answer as number
  }
  const origin = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(late)
  }
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await fetch(`${origin}/health/ready`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error(`${title} does not get ready; see ${join(CACHE_FOLDER, `${name}.log`)}.`)
    }
    await pause(5)
  }
  return { title, pid: child.pid ?? 0, origin, longestHold, stop }
}

export interface ServerSetting {
  databaseUrl: string
  issuer: string
  /** Settings that replace those of the kind of server. */
  env?: Environment
}

/** Starts a server on a database, as in production. */
export async function startServer(
  kind: ServerKind,
  { databaseUrl, issuer, env }: ServerSetting
): Promise<RunningServer> {
  const pooler = kind.pooled ? await startPgBouncer(databaseUrl) : undefined
  if (pooler) await limitStatements(databaseUrl, START_TIMEOUT_MS / 2)
  const server = await launchServer(kind, {
    ...{ NODE_ENV: 'production', PUBLIC_URL: publicUrl },
    DATABASE_URL: pooler?.through(databaseUrl) ?? databaseUrl,
    ...(kind.verifies ? { ENVIRONMENT: 'inttest', TOKEN_ISSUERS: issuer, RATE_LIMIT: '0' } : {}),
    ...kind.env,
    ...env
  }).catch(async (error) => {
    await pooler?.stop()
    throw error
  })
  const stop = async () => {
    await server.stop()
    await pooler?.stop()
  }
  return { ...server, stop }
}
