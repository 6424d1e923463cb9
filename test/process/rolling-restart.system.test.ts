import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { cloneDatabase, type TestApp } from '../fixtures/app.js'
import { callersOf } from '../fixtures/failover/over-http.js'
import { freePort } from '../fixtures/free-port.js'
import { type LoadRequest, startLoad } from '../fixtures/rolling/load.js'
import { proxies, startProxy } from '../fixtures/rolling/proxies.js'
import { type Server, startServer } from '../fixtures/server.js'
import { asServerRole } from '../fixtures/server-role.js'
import { orders, organization, pathOf, world } from '../fixtures/world.js'

/*
 * Four instances behind a proxy are restarted one after the other under load. Takes minutes, because
 * each instance waits for its SHUTDOWN_DELAY. The acceptance test:
 * ROLLING_RESTARTS=8 ROLLING_RUNS=3 npm test -- --timeout=3600 test/process/rolling-restart.system.test.ts
 */
const restarts = Number(process.env.ROLLING_RESTARTS ?? (process.env.THOROUGH === 'true' ? 2 : 0))
const runs = Number(process.env.ROLLING_RUNS ?? 1)
const isWanted = restarts > 0
const notWanted = 'set THOROUGH=true or ROLLING_RESTARTS to run it, as .ci/run does'

const CLIENTS = 8
/** Requests of a run for each restart. */
const MIN_REQUESTS = 500

interface Instance {
  port: number
  server: Server
}

async function startInstances(t: Test, env: Record<string, string>) {
  const start = async (port: number): Promise<Instance> => {
    const server = await startServer(t, { ...env, PORT: String(port) })
    await server.ready()
    return { port, server }
  }
  const instances = await Promise.all([1, 2, 3, 4].map(async () => start(await freePort())))
  return {
    ports: instances.map(({ port }) => port),
    /** Restarts one of them. Returns its exit code. */
    async restart(index: number) {
      const { port, server } = instances[index % instances.length] as Instance
      const code = await server.stop('SIGTERM')
      instances[index % instances.length] = await start(port)
      return code
    }
  }
}

for (const [name, proxy] of Object.entries(proxies))
  t.test(
    `restarts behind ${name} lose no request`,
    { skip: isWanted ? proxy.skip : notWanted },
    async (t) => {
      const DATABASE_URL = asServerRole(await cloneDatabase(t))
      const env = {
        DATABASE_URL,
        PUBLIC_URL: 'http://ssl.example',
        SHUTDOWN_DELAY: '5000',
        TRUST_PROXY: 'true'
      }
      const instances = await startInstances(t, env)
      const url = await startProxy(t, proxy, instances.ports)
      const w = await world({ as: callersOf(url) } as TestApp)
      const { order } = await w.submitted(2)
      const headers = {
        authorization: unsignedToken({
          userType: 'MonitoringResponsible',
          organization: organization('region')
        }),
        'content-type': 'application/json'
      }
      const draft = JSON.stringify(w.draft())
      const requests: LoadRequest[] = [
        { method: 'GET', path: pathOf(order), headers, expected: 200 },
        { method: 'POST', path: `${orders}/order`, headers, body: draft, expected: 201 },
        { method: 'GET', path: `${orders}/parties?limit=5`, headers, expected: 200 }
      ]
      for (let run = 0; run < runs; run++) {
        const load = startLoad(url, CLIENTS, (count) => requests[count % requests.length] as LoadRequest)
        for (let restart = 0; restart < restarts; restart++)
          t.equal(await instances.restart(restart), 0, 'an instance ends with 0')
        while (load.result.succeeded < MIN_REQUESTS * restarts) await pause(50)
        const { succeeded, sent, failures } = await load.stop()
        t.same(failures, [], `${succeeded} requests succeeded (${JSON.stringify(sent)})`)
        t.comment(`${name}: ${succeeded} of ${JSON.stringify(sent)} succeeded in ${restarts} restarts`)
      }
    }
  )
