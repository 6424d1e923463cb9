import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf, tokenOf } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { effort } from '../fixtures/effort.js'
import { freePort } from '../fixtures/free-port.js'
import { historyFindings } from '../fixtures/history/check.js'
import { instanceAt, instanceSettings, runWithWriters } from '../fixtures/history/run.js'
import { proxies, startProxy } from '../fixtures/rolling/proxies.js'
import { readyServer, type Server } from '../fixtures/server.js'
import { asServerRole } from '../fixtures/server-role.js'
import { until } from '../fixtures/waiting.js'
import { orders, world } from '../fixtures/world.js'

/* Takes minutes, because each instance waits for its SHUTDOWN_DELAY. */
const RESTARTS = 2 * effort
/** Requests of a run for each restart. */
const MIN_REQUESTS = 500

interface Instance {
  port: number
  server: Server
}

async function startInstances(t: Test, env: Record<string, string>) {
  const start = async (port: number): Promise<Instance> => {
    const server = await readyServer(t, { ...env, PORT: String(port) })
    return { port, server }
  }
  const instances = await Promise.all([1, 2, 3, 4].map(async () => start(await freePort())))
  return {
    ports: instances.map(({ port }) => port),
    /** Restarts an instance. Returns its exit code. */
    async restart(index: number) {
      const { port, server } = instances[index % instances.length] as Instance
      const code = await server.stop('SIGTERM')
      instances[index % instances.length] = await start(port)
      return code
    }
  }
}

/** Longer than a proxy needs to notice that no instance is ready: two checks of a second each. */
const OUTAGE_MS = 5000

for (const [name, proxy] of Object.entries(proxies))
  t.test(`instances behind ${name}`, { skip: proxy.skip }, async (t) => {
    const databaseUrl = await cloneDatabase(t)
    const instances = await startInstances(t, {
      ...instanceSettings,
      DATABASE_URL: asServerRole(databaseUrl),
      REQUEST_TIMEOUT: '240000',
      SHUTDOWN_DELAY: '5000',
      TRUST_PROXY: 'true'
    })
    const url = await startProxy(t, proxy, instances.ports)

    t.test('lose no request in rolling restarts', async (t) => {
      const writers = { name, world: await world({ as: callersOf(url) }), instances: [instanceAt(url)] }
      const run = await runWithWriters(writers, async (progress) => {
        const enough = progress(MIN_REQUESTS * RESTARTS)
        for (let restart = 0; restart < RESTARTS; restart++)
          t.equal(await instances.restart(restart), 0, 'an instance ends with 0')
        await enough
      })
      t.comment(`${name}: ${run.attempts.length} requests in ${RESTARTS} restarts`)
      t.same(
        run.attempts.filter(({ outcome }) => outcome !== 'acknowledged'),
        []
      )
      t.same(run.unexpected, [])
      const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
      t.teardown(() => sql.end({ timeout: 0 }))
      t.same(await historyFindings(sql, run), [])
      t.same(await differencesIn(sql), [])
    })

    t.test('respond with their own problem in an outage of the database', async (t) => {
      const headers = {
        accept: 'application/problem+json',
        authorization: tokenOf('MonitoringResponsible')
      }
      const outcomeOfList = async () => {
        const response = await fetch(`${url}${orders}/orders`, { headers })
        const body = await response.text()
        if (response.ok) return 'ok'
        const code = /"code":"([^"]+)"/.exec(body)?.[1]
        return `${response.status} ${code ?? `${response.headers.get('content-type')} ${body}`}`
      }
      const outcomes = new Set<string>()
      const admin = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 })
      t.teardown(() => admin.end({ timeout: 5 }))
      const name = new URL(databaseUrl).pathname.slice(1)
      await admin.unsafe(`alter database ${name} allow_connections false`)
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
      for (const end = Date.now() + OUTAGE_MS; Date.now() < end; await pause(100))
        outcomes.add(await outcomeOfList())
      t.same([...outcomes], ['503 database-unavailable'])
      await admin.unsafe(`alter database ${name} allow_connections true`)
      await until(async () => (await outcomeOfList()) === 'ok')
    })
  })
