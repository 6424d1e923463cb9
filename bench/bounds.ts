import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { InjectOptions } from 'fastify'
import postgres from 'postgres'
import { loadConfig } from '../fastify.config.js'
import { unsignedToken } from '../scripts/unsigned-token.js'
import { buildApp } from '../src/app.js'
import { startEmbeddedPostgres } from '../src/db/embedded/index.js'
import { migrate } from '../src/db/migrate.js'
import type { UserType } from '../src/platform/actor.js'
import { largestRequests } from './bounds/requests.js'

/*
 * What the largest ordinary requests cost: `tsx bench/bounds.ts [folder for the database]`. For each its status, the milliseconds of this
 * process's processor, and the longest time for which it held the event loop; the best of some attempts, since others use the
 * machine as well.
 */

const attempts = 5

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? 'bench/cache/bounds' })
const url = Object.assign(new URL(server.url), { pathname: '/bounds' }).href
const admin = postgres(Object.assign(new URL(server.url), { pathname: '/postgres' }).href, { max: 1 })
await admin.unsafe('drop database if exists bounds with (force)')
await admin.unsafe('create database bounds')
await admin.end()
await migrate(url)
const app = await buildApp(loadConfig({ LOG_LEVEL: 'silent', EVENT_LOOP_DELAY_LIMIT: '0' }), url)

const send = (as: UserType, request: InjectOptions) =>
  app.inject({
    ...request,
    headers: {
      'content-type': 'application/json',
      authorization: unsignedToken({
        userType: as,
        organization: 'https://fhir.example/Organization/region'
      }),
      ...request.headers
    }
  })

async function measured(as: UserType, request: InjectOptions) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await new Promise((done) => setTimeout(done, 20))
  delay.reset()
  const before = process.cpuUsage()
  const { statusCode } = await send(as, request)
  const { user, system } = process.cpuUsage(before)
  await new Promise((done) => setTimeout(done, 5))
  delay.disable()
  return { statusCode, processor: (user + system) / 1000, held: delay.max / 1e6 }
}

try {
  for (const { name, as, request } of await largestRequests(send)) {
    const all: Awaited<ReturnType<typeof measured>>[] = []
    for (let at = 0; at < attempts; at++) all.push(await measured(as, request))
    const best = (member: 'processor' | 'held') => Math.min(...all.map((each) => each[member])).toFixed(0)
    const kilobytes = Math.round(String(request.payload ?? request.url).length / 1000)
    process.stdout.write(
      `${name} | ${all[0]?.statusCode} | ${kilobytes} kB | processor ${best('processor')} ms | held ${best('held')} ms\n`
    )
  }
} finally {
  await app.close()
  await server.stop()
}
