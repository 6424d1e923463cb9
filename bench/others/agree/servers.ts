import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../../../src/db/embedded/index.js'
import { migrate } from '../../../src/db/migrate.js'

const here = join(import.meta.dirname, '..')

/** The built programs, the product first. */
const programs = {
  product: join(here, '..', '..', 'dist', 'program', 'main.js'),
  'express-prisma': join(here, 'express-prisma', 'dist', 'express-prisma', 'server.js'),
  'nest-typeorm': join(here, 'nest-typeorm', 'dist', 'nest-typeorm', 'server.js')
}
export type Name = keyof typeof programs
export const names = Object.keys(programs) as Name[]

const firstPort = 4710

/** All servers, on one database. */
export interface Servers {
  origin: (name: Name) => string
  stop: () => Promise<void>
}

/** Starts the product and the others on a new database, all with the same public address, so that they answer the same links. */
export async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-others-'))
  const database = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: { max_connections: '60' }
  })
  const children: ChildProcess[] = []
  const stop = async () => {
    await Promise.all(children.map(end))
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const origin = (name: Name) => `http://127.0.0.1:${firstPort + names.indexOf(name)}`
  try {
    await migrate(database.url)
    for (const name of names) children.push(start(name, database.url, origin))
    await Promise.all(names.map((name) => ready(origin(name))))
  } catch (error) {
    await stop()
    throw error
  }
  return { origin, stop }
}

function start(name: Name, databaseUrl: string, origin: (name: Name) => string): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
    PORT: new URL(origin(name)).port,
    PUBLIC_URL: origin('product')
  }
  return spawn('node', [programs[name]], { env, stdio: 'inherit' })
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await fetch(`${url}/health/ready`).catch(() => undefined))?.ok) return
    await pause(100)
  }
  throw new Error(`No server answers at ${url}.`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}
