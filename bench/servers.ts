import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limitStatements, startPgBouncer } from '../test/fixtures/pgbouncer.js'
import { cache } from './database.js'
import { publicUrl } from './workloads/workload.js'

/**
 * A server that can be measured: how to start it, and its settings besides `DATABASE_URL`, `PORT`
 * and `PUBLIC_URL`.
 */
export interface BenchServerKind {
  name: string
  title: string
  /** Arguments of `node`, run in the project folder. */
  command: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Whether it verifies tokens: then it gets the issuer and a production environment. */
  verifies?: boolean
  /** Whether it reaches PostgreSQL through PgBouncer in transaction mode. */
  pooled?: boolean
  /** Workloads without this server. */
  without?: readonly string[]
}

/** Bundles are made in the current folder. */
const project = join(import.meta.dirname, '..')
process.chdir(project)

const ofBench = (...path: string[]) => ['--import', 'tsx', join('bench', ...path)]

/** All servers. */
export const serverKinds: readonly BenchServerKind[] = [
  { name: 'product', title: 'the product', command: ['dist/program/main.js'], verifies: true },
  {
    name: 'pooled',
    title: 'the product through PgBouncer',
    command: ['dist/program/main.js'],
    env: { DATABASE_POOLER: 'transaction' },
    verifies: true,
    pooled: true
  },
  { name: 'bare', title: 'bare Fastify + postgres.js', command: ofBench('bare', 'server.ts') },
  {
    name: 'bare-model',
    title: 'bare, search by a read model',
    command: ofBench('bare', 'server.ts'),
    env: { SEARCH: 'model' },
    without: ['w1', 'w3', 'w4', 'w5']
  }
]

/** The servers of these names, comma-separated. */
export function serversNamed(names: string): readonly BenchServerKind[] {
  return names.split(',').map((name) => {
    const kind = serverKinds.find((each) => each.name === name)
    if (!kind)
      throw new Error(`There is no server ${name}: ${serverKinds.map((each) => each.name).join(', ')}.`)
    return kind
  })
}

/** A running server. */
export interface RunningServer {
  kind: BenchServerKind
  pid: number
  origin: string
  stop(): Promise<void>
}

export interface ServerSetting {
  databaseUrl: string
  issuer: string
}

/** Start timeout of a server. */
const START_TIMEOUT_MS = 60_000

/**
 * Starts a server and waits until it is ready. Its output goes to a file, like the log of a
 * service.
 */
export async function startKind(
  kind: BenchServerKind,
  { databaseUrl, issuer }: ServerSetting
): Promise<RunningServer> {
  const port = await freePort()
  const pooler = kind.pooled ? await startPgBouncer(databaseUrl) : undefined
  if (pooler) await limitStatements(databaseUrl, START_TIMEOUT_MS / 2)
  mkdirSync(cache, { recursive: true })
  const log = openSync(join(cache, `${kind.name}.log`), 'w')
  const child = spawn(process.execPath, [...kind.command], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      DATABASE_URL: pooler?.through(databaseUrl) ?? databaseUrl,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      ...(kind.verifies ? { ENVIRONMENT: 'inttest', TOKEN_ISSUERS: issuer, RATE_LIMIT: '0' } : {}),
      ...kind.env
    },
    stdio: ['ignore', log, log]
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const origin = `http://127.0.0.1:${port}`
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(late)
    await pooler?.stop()
  }
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await fetch(`${origin}/health/ready`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error(`${kind.title} does not get ready; see ${join(cache, `${kind.name}.log`)}.`)
    }
    await pause(50)
  }
  return { kind, pid: child.pid ?? 0, origin, stop }
}

/** A free port of the loopback interface. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
