import { parseArgs } from 'node:util'
import { loadConfig } from '../fastify.config.js'
import type { UserType } from '../src/platform/auth/actor.js'
import { agree } from './demo/agreements.js'
import { publish } from './demo/catalogues.js'
import { choose, forbid } from './demo/choice.js'
import { Caller, checkServer, DemoError, publicBase } from './demo/client.js'
import { type PartyKey, parties, people } from './demo/data.js'
import { traced } from './demo/order-data.js'
import { orderAll } from './demo/orders.js'
import { remark } from './demo/print.js'
import { search } from './demo/search.js'
import { catalogueApi, orderApi, type Stage } from './demo/stage.js'
import { showTrace } from './demo/trace.js'

const usage = `npm run demo [-- --url <URL>]

Tells the story of the interface to a running server of the environment devtest, and leaves its data there. Told once more,
it finds what it created.
  --url  address of the server; default: PUBLIC_URL, else http://HOST:PORT, with the defaults of the server`

/** The origin of the server that the arguments name. */
function serverFrom(args: string[]): string {
  const given = optionsFrom(args).url ?? urlOfSettings()
  const url = given !== undefined && URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new DemoError(usage)
  return url.origin
}

/** Where the server would be that is started with the same settings. */
function urlOfSettings(): string {
  try {
    return loadConfig().publicUrl
  } catch (error) {
    throw new DemoError((error as Error).message)
  }
}

function optionsFrom(args: string[]): { url?: string | undefined } {
  try {
    return parseArgs({ args, options: { url: { type: 'string' } } }).values
  } catch (error) {
    throw new DemoError(`${(error as Error).message}\n\n${usage}`)
  }
}

/** From the first contract to the last trace line. */
async function tellStory(base: string): Promise<void> {
  await checkServer(base)
  remark(`The story of the interface, told to ${base}. Addresses are shown without it.`)
  const bases = {
    [catalogueApi]: await publicBase(base, catalogueApi),
    [orderApi]: await publicBase(base, orderApi)
  }
  const stage: Stage = {
    as: (userType, party) => new Caller(base, personOf(userType, party)),
    addressOf: (api, noun, id) => `${bases[api]}/${noun}/${id}`
  }
  const addresses = await agree(stage)
  const items = await publish(stage, addresses)
  await choose(stage, addresses, items)
  await forbid(stage, items)
  await search(stage, addresses)
  const orders = await orderAll(stage, addresses, items)
  await showTrace(stage, traced, orders.get(traced) ?? '', items)
  remark(`\nTo look around, get the nurse’s token:
  npm run --silent token -- --as MonitoringResponsible --organization ${parties.aarhus.organization}`)
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
  await tellStory(serverFrom(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof DemoError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
