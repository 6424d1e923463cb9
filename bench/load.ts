import { Client, type Dispatcher } from 'undici'
import type { Round, RoundOptions } from './round.js'
import type { BenchRequest } from './workloads/workload.js'

/**
 * The load generator, in its own process, so that requests cost the measuring process nothing. It
 * gets rounds by messages.
 */

const inSeconds = (since: bigint) => Number(process.hrtime.bigint() - since) / 1e9

/**
 * Sends requests one after the other over each connection, until the time is over or all are sent.
 */
async function play(options: RoundOptions): Promise<Round> {
  const clients = Array.from(
    { length: options.connections },
    () => new Client(options.origin, { pipelining: 1 })
  )
  const times: number[] = []
  const errors: string[] = []
  let next = 0
  const began = process.hrtime.bigint()
  const isOver = () =>
    errors.length > 5 ||
    (options.once && next >= options.requests.length) ||
    next >= options.responses ||
    inSeconds(began) >= options.seconds
  await Promise.all(
    clients.map(async (client) => {
      while (!isOver()) {
        const number = next++
        const request = options.requests[number % options.requests.length]
        if (!request) return
        const sent = process.hrtime.bigint()
        const error = await send(client, options, request, options.first + number)
        times.push(inSeconds(sent) * 1000)
        if (error !== undefined) errors.push(`${request.method} ${request.path}: ${error}`)
      }
    })
  )
  const seconds = inSeconds(began)
  await Promise.all(clients.map((client) => client.close()))
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { responses: times.length, seconds, p50: at(0.5), p99: at(0.99), errors }
}

/** Sends a request and checks its response; returns the error, if any. */
function send(client: Client, options: RoundOptions, request: BenchRequest, number: number) {
  const { method, path, token, body, contains } = request
  const chunks: Buffer[] = []
  let status = 0
  return new Promise<string | undefined>((resolve) => {
    const dispatchOptions: Dispatcher.DispatchOptions = {
      method,
      path,
      headers: {
        authorization: `Bearer ${options.tokens[token]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      ...(body === undefined ? {} : { body: numbered(body, number) })
    }
    client.dispatch(dispatchOptions, {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        status = statusCode
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        resolve(errorIn(options, status, Buffer.concat(chunks), contains))
      },
      onResponseError: (_controller, error) => resolve(error.message)
    })
  })
}

const numbered = (body: string, number: number) =>
  body.includes('-#-') ? body.replaceAll('-#-', `-${number}-`) : body

function errorIn(
  { status, minBytes }: RoundOptions,
  found: number,
  body: Buffer,
  contains: string | undefined
) {
  if (found !== status) return `status ${found}: ${body.toString().slice(0, 300)}`
  if (body.length < minBytes) return `${body.length} bytes: ${body.toString().slice(0, 300)}`
  return contains !== undefined && !body.includes(contains) ? `no ${contains} in it` : undefined
}

process.on('message', (options: RoundOptions) => {
  play(options).then(
    (round) => process.send?.(round),
    (error) => process.send?.({ errors: [String(error)] })
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
