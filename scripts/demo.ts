import { parseArgs } from 'node:util'
import { NoResponseError, ProblemError } from '../clients/typescript/src/index.js'
import { loadConfig } from '../fastify.config.js'
import type { UserType } from '../src/platform/auth/caller.js'
import { registerParties } from './demo/agreements.js'
import { printDevicesAtHome } from './demo/at-home.js'
import { publishCatalogues } from './demo/catalogues.js'
import { checkServer, clientOf, DemoError, publicBase } from './demo/client.js'
import { buyers, type PartyKey, parties, people } from './demo/data.js'
import { deleteData, embeddedDatabase, replaceId } from './demo/embedded-database.js'
import { printEventsOf } from './demo/events.js'
import { addBlackListEntry, fillWhiteLists } from './demo/item-lists.js'
import { TRACED_ORDER } from './demo/order-data.js'
import { placeOrders } from './demo/orders.js'
import { printLine } from './demo/print.js'
import { searchItems } from './demo/search.js'
import { catalogueApi, orderApi, type Stage } from './demo/stage.js'
import { printTrace } from './demo/trace.js'

const usage = `npm run demo [-- --url <URL> | --reset]

Creates example data on a running server of the environment devtest: parties, catalogues, orders,
their trace and devices at home. Consumers print the events of the orders as they happen. A second run finds the data of the first.
In the embedded database of a server with the same settings, data get the ids of the examples in the documents.
  --url    URL of the server; default: PUBLIC_URL, else http://HOST:PORT, with the defaults of the server
  --reset  first deletes all data of the embedded database, while npm start runs`

/** The origin of a server, and its embedded database if the settings here name it. */
interface Server {
  base: string
  database: string | undefined
}

/** The server in the arguments, whose data are deleted on demand. */
async function prepareServer(args: string[]): Promise<Server> {
  const { url: given, reset = false } = parseOptions(args)
  if (given !== undefined && reset) throw new DemoError(usage)
  const config = given === undefined ? currentConfig() : undefined
  const text = given ?? config?.publicUrl
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new DemoError(usage)
  if (reset && config) {
    await checkServer(url.origin)
    await deleteData(config)
  }
  return { base: url.origin, database: config && (await embeddedDatabase(config)) }
}

/** The settings that a server would have here. */
function currentConfig() {
  try {
    return loadConfig()
  } catch (error) {
    throw new DemoError((error as Error).message)
  }
}

function parseOptions(args: string[]): { url?: string | undefined; reset?: boolean | undefined } {
  try {
    return parseArgs({ args, options: { url: { type: 'string' }, reset: { type: 'boolean' } } }).values
  } catch (error) {
    throw new DemoError(`${(error as Error).message}\n\n${usage}`)
  }
}

/** Creates everything, from the first contract to the last trace line. */
async function runDemo({ base, database }: Server): Promise<void> {
  await checkServer(base)
  printLine(`Example data on ${base}. URLs are shown without the origin. Lines that begin with “event”
are printed by consumers of GET ${orderApi}/events, one for each buyer.`)
  const bases = {
    [catalogueApi]: await publicBase(base, catalogueApi),
    [orderApi]: await publicBase(base, orderApi)
  }
  const stage: Stage = {
    as: (userType, party) => clientOf(base, personOf(userType, party)),
    urlOf: (api, noun, id) => `${bases[api]}/${noun}/${id}`,
    useExampleId: async (id, exampleId) =>
      database !== undefined && (await replaceId(database, id, exampleId)) ? exampleId : id
  }
  const partyUrls = await registerParties(stage)
  const items = await publishCatalogues(stage, partyUrls)
  await fillWhiteLists(stage, partyUrls, items)
  await addBlackListEntry(stage, items)
  await searchItems(stage, partyUrls)
  const nurses = buyers.map((buyer) => stage.as('MonitoringResponsible', buyer))
  const orders = await printEventsOf(nurses, () => placeOrders(stage, partyUrls, items))
  await printTrace(stage, TRACED_ORDER, orders.get(TRACED_ORDER) ?? '', items)
  await printDevicesAtHome(stage, items)
  printLine(`\nFor your own requests, get the nurse’s token:
  npm run --silent token -- --as MonitoringResponsible --organization ${parties.aarhus.organization}

Now open ${base}/ in a browser, and start as the nurse, the provider or the administrator.`)
}

function personOf(userType: UserType, party: PartyKey) {
  const names: Partial<Record<PartyKey, Partial<Record<UserType, string>>>> = people
  return {
    userType,
    organization: parties[party].organization,
    name: names[party]?.[userType] ?? parties[party].name
  }
}

try {
  await runDemo(await prepareServer(process.argv.slice(2)))
} catch (error) {
  const isExpected = [DemoError, ProblemError, NoResponseError].some((each) => error instanceof each)
  if (!(error instanceof Error) || !isExpected) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
