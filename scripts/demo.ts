import { NoResponseError, ProblemError } from '../clients/typescript/src/index.js'
import { loadConfig } from '../fastify.config.js'
import { demoOrganizations } from '../src/home/demo-people.js'
import { ConfigError } from '../src/settings/load.js'
import { readArguments } from './arguments.js'
import { clientsAt, printLine } from './demo/client.js'
import { placeOrders } from './demo/orders.js'
import { printDevicesAtHome, printTrace } from './demo/results.js'
import { fillLists, publishCatalogues, registerParties } from './demo/set-up.js'

readArguments(`npm run demo

Creates example data on the server of these settings, which runs in the environment devtest: from
the first contract to the trace and the devices at home. A second run finds the data of the first.
Set HOST, PORT, PUBLIC_URL and TIME_ZONE as for the server; default: http://127.0.0.1:3000.`)

async function runDemo(origin: string, timeZone: string): Promise<void> {
  printLine(`Creates example data on ${origin}. URLs are shown without the origin.`)
  const as = clientsAt(origin)
  const parties = await registerParties(as, timeZone)
  const world = { parties, items: await publishCatalogues(as, parties), timeZone }
  await fillLists(as, world)
  const orders = await placeOrders(as, world)
  await printTrace(as, orders.get('AAK-0001') ?? '', world)
  await printDevicesAtHome(as, world)
  printLine(`\nFor your own requests, get the nurse’s token:
  npm run --silent token -- --as MonitoringResponsible --organization ${demoOrganizations.aarhus.organization}

Now open ${origin}/ in a browser, and start as the nurse, the provider or the administrator.`)
}

/** The remedy for an error that is not a bug. */
function adviceOn(error: unknown, origin: string): string | undefined {
  if (error instanceof ConfigError) return error.message
  if (error instanceof NoResponseError)
    return `No server responds at ${origin}. Start one with "npm start" in another terminal, then try again.`
  if (!(error instanceof ProblemError)) return undefined
  return error.status === 401
    ? `The server at ${origin} rejects unsigned tokens. The demo needs a server of the environment devtest.`
    : error.message
}

let origin = ''
try {
  const { publicUrl, timeZone } = loadConfig()
  origin = publicUrl
  await runDemo(origin, timeZone)
} catch (error) {
  const advice = adviceOn(error, origin)
  if (advice === undefined) throw error
  process.stderr.write(`${advice}\n`)
  process.exitCode = 1
}
