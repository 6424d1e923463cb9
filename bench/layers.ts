import type { Profiler, Runtime } from 'node:inspector'
import { sourceFrame } from '../src/platform/errors/source-frame.js'
import { withFixture } from './fixture.js'
import { processorTime, systemCalls } from './processor.js'
import { serverNamed } from './servers.js'
import { publish, readOptions, shown, startTable } from './table.js'
import { workloadsNamed } from './turns.js'

/**
 * Where the processor time of a request goes in a server, in microseconds, and its calls of the
 * system: `npm --prefix bench run layers -- [--scale=0.05] [--works=w1,w5] [--server=product]
 * [--connections=8,32] [--seconds=5] [--write]`. The profile itself costs a tenth.
 */

/** The layers, and the sources of each: the first one that matches. */
const layers = {
  'garbage collection': /^\(garbage collector\)$/,
  'native code': /^\(program\)$/,
  logging: /pino|sonic-boom|platform\/logging/,
  'metrics, traces': /opentelemetry|platform\/telemetry/,
  'token, access': /platform\/auth|fast-jwt|\/jose\//,
  audit: /src\/audit\//,
  query: /src\/db\/|\/postgres\/|drizzle/,
  'JSON, tags': /platform\/(json|rest|schemas)/,
  'other hooks': /platform\/|src\/idempotency|under-pressure|helmet|cors/,
  'use case': /src\//,
  Fastify: /node_modules\//,
  'Node: HTTP': /^node:(_http|http|internal\/http)/,
  'Node: sockets, writes': /^node:(net|internal\/(stream|net))|writev?(Buffer|Latin1String|Utf8String)?$/,
  'Node: others': /./
}

/** The source of a function: a file, a module of Node, or the name of native code. */
const sourceOf = ({ url, functionName, lineNumber }: Runtime.CallFrame): string =>
  url.startsWith('file:') ? sourceFrame(`${url}:${lineNumber + 1}:1`) : url || functionName

/** The share of each layer in the time that was not idle. */
function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): number[] {
  const layerOf = new Map(
    nodes.map(({ id, callFrame }) => {
      const source = sourceOf(callFrame)
      return [id, source === '(idle)' ? -1 : Object.values(layers).findIndex((each) => each.test(source))]
    })
  )
  const times = Object.keys(layers).map(() => 0)
  for (const [at, id] of samples.entries()) {
    const layer = layerOf.get(id) ?? -1
    if (layer >= 0) times[layer] = (times[layer] ?? 0) + (timeDeltas[at] ?? 0)
  }
  const sum = times.reduce((one, other) => one + other, 0)
  return times.map((time) => time / sum)
}

const options = readOptions({
  ...{ scale: '0.05', works: 'w1,w2,w5,w3', server: 'product', connections: '8,32', seconds: '5' }
})
const table = startTable(
  `workload | connections | processor | ${Object.keys(layers).join(' | ')} | reads | writes`
)

await withFixture({ scale: Number(options.scale) }, async ({ sql, load, tokensOf, serve }) => {
  for (const workload of workloadsNamed(options.works)) {
    const prepared = await workload.prepare(sql)
    const tokens = await tokensOf(prepared.callers)
    const server = await serve(serverNamed(options.server))
    const { status, minBytes, once = false } = workload
    const play = async (limits: { connections: number; seconds: number; responses?: number }) => {
      const expected = { status, minBytes }
      return load.play({ ...{ origin: server.origin, tokens, expected, once }, ...prepared, ...limits })
    }
    for (const connections of options.connections.split(',').map(Number)) {
      await play({ connections, seconds: 30, responses: workload.warmUp })
      await workload.reset?.(sql)
      const before = { time: processorTime(server.pid), ...systemCalls(server.pid) }
      let responses = 0
      const profile = await server.profile(async () => {
        responses = (await play({ connections, seconds: Number(options.seconds) })).responses
      })
      const time = ((processorTime(server.pid) - before.time) * 1000) / responses
      const after = systemCalls(server.pid)
      await workload.reset?.(sql)
      table.add(
        ...[workload.name.toUpperCase(), connections, shown(time)],
        ...sharesOf(profile).map((share) => shown(share * time)),
        ...(['reads', 'writes'] as const).map((name) => ((after[name] - before[name]) / responses).toFixed(1))
      )
    }
    await server.stop()
  }
})
publish('layers', options, table)
