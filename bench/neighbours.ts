import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'undici'
import { type Form, forms, type HeavyRequest } from './neighbours/forms.js'
import { makeWorld, order, tokenOf, type World } from './neighbours/world.js'
import { startServer } from './server.js'
import { circumstances, writeBetweenMarks } from './table.js'

/**
 * How requests of the maximum cost slow down other callers:
 * `npm --prefix bench run neighbours -- [--seconds=6] [--forms=list] [--write]`.
 * A neighbour reads an order 25 times a second, first in quiet, then during the heavy requests.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    forms: { type: 'string', default: '' },
    write: { type: 'boolean', default: false }
  }
})
const seconds = Number(values.seconds)
/** Milliseconds between two requests of the neighbour. */
const every = 40

interface Percentiles {
  p50: number
  p99: number
}

function percentilesOf(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { p50: at(0.5), p99: at(0.99) }
}

/** What a quiet server allows during heavy requests. */
const boundOf = ({ p50, p99 }: Percentiles): Percentiles => ({ p50: 2 * p50, p99: 2 * p99 + 100 })

const textOf = ({ p50, p99 }: Percentiles) => `${p50} / ${p99}`

interface Meter {
  /** Response times of the neighbour during the work. */
  during(work: () => Promise<void>): Promise<number[]>
  stop(): void
}

async function startMeter(world: World): Promise<Meter> {
  const program = join(import.meta.dirname, 'neighbours', 'meter.ts')
  const child: ChildProcess = fork(program, { execArgv: ['--import', 'tsx'] })
  await once(child, 'message')
  const path = `${order}/order/${world.order.split('/').at(-1)}/details`
  const asked = { origin: world.origin, path, authorization: tokenOf('nurse'), every }
  return {
    async during(work) {
      child.send(asked)
      await work()
      child.send('stop')
      // Anything but a number was not served.
      const [times] = (await once(child, 'message')) as [(number | null)[]]
      return times.map((time) => time ?? Number.POSITIVE_INFINITY)
    },
    stop: () => child.disconnect()
  }
}

/**
 * Sends the requests of a kind in turns until the time is over, at most one per connection each
 * `intervalMs`, and counts responses by status.
 */
async function attack(
  origin: string,
  { atOnce, intervalMs = 50 }: Form,
  requests: HeavyRequest[]
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const end = performance.now() + seconds * 1000
  let next = 0
  const send = async (_: unknown, connection: number) => {
    const client = new Client(origin)
    await pause((connection * intervalMs) / atOnce)
    while (performance.now() < end) {
      const due = performance.now() + intervalMs
      const { role, token, method, path, type, body } = requests[next++ % requests.length] as HeavyRequest
      const headers = { authorization: token ?? tokenOf(role), ...(type ? { 'content-type': type } : {}) }
      const sent = { method, path, headers, ...(body === undefined ? {} : { body }) }
      const status = await client
        .request(sent as Parameters<Client['request']>[0])
        .then(async (answer) => {
          await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER })
          return answer.statusCode
        })
        .catch(() => 0)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await pause(Math.max(0, due - performance.now()))
    }
    await client.destroy()
  }
  await Promise.all(Array.from({ length: atOnce }, send))
  return statuses
}

const lines = [
  '| form | at once | answers | ms of processor each | ms at a time | quiet p50 / p99, ms | meanwhile | bound | |',
  '|---|---|---|---|---|---|---|---|---|'
]
const server = await startServer(3997, { EVENT_LOOP_DELAY_LIMIT: '0' })
try {
  const world = await makeWorld(server.url, 120)
  const meter = await startMeter(world)
  await meter.during(() => pause(3000))
  for (const form of forms.filter(({ title }) => title.includes(values.forms))) {
    const requests = await form.requests(world)
    const quiet = percentilesOf(await meter.during(() => pause(4000)))
    let statuses = new Map<number, number>()
    await server.held()
    const meanwhile = percentilesOf(
      await meter.during(async () => {
        statuses = await attack(server.url, form, requests)
      })
    )
    const { longest, processor } = await server.held()
    const bound = boundOf(quiet)
    // Only at the default rate limit is the p50 bounded, too.
    const holds = meanwhile.p99 <= bound.p99 && (!form.isRated || meanwhile.p50 <= bound.p50)
    const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    const verdict = form.isBounded ? (holds ? 'holds' : 'BROKEN') : 'reported'
    const count = [...statuses.values()].reduce((sum, each) => sum + each, 0)
    const cells = [
      ...[form.title, form.atOnce, answers, Math.round(processor / count), longest],
      ...[textOf(quiet), textOf(meanwhile), form.isBounded ? textOf(bound) : '', verdict]
    ]
    lines.push(`| ${cells.join(' | ')} |`)
    process.stdout.write(`${lines.at(-1)}\n`)
    await pause(1000)
  }
  meter.stop()
} finally {
  await server.stop()
}
if (values.write) writeBetweenMarks('neighbours', [circumstances(), '', ...lines])
