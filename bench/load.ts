import { Client, type Dispatcher } from 'undici'
import type { Round, RoundAsked } from './round.js'
import type { BenchRequest } from './works/work.js'

/**
 * The load generator, in its own process, so that requests cost the measuring process nothing. It
 * gets rounds by messages.
 */

const inSeconds = (since: bigint) => Number(process.hrtime.bigint() - since) / 1e9

/**
 * Sends requests one after the other over each connection, until the time is over or all are sent.
 */
async function play(asked: RoundAsked): Promise<Round> {
  const clients = Array.from({ length: asked.connections }, () => new Client(asked.origin, { pipelining: 1 }))
  const times: number[] = []
  const faults: string[] = []
  let next = 0
  const began = process.hrtime.bigint()
  const isOver = () =>
    faults.length > 5 ||
    (asked.once && next >= asked.requests.length) ||
    next >= asked.answers ||
    inSeconds(began) >= asked.seconds
  await Promise.all(
    clients.map(async (client) => {
      while (!isOver()) {
        const number = next++
        const request = asked.requests[number % asked.requests.length]
        if (!request) return
        const sent = process.hrtime.bigint()
        const fault = await send(client, asked, request, asked.first + number)
        times.push(inSeconds(sent) * 1000)
        if (fault !== undefined) faults.push(`${request.method} ${request.path}: ${fault}`)
      }
    })
  )
  const seconds = inSeconds(began)
  await Promise.all(clients.map((client) => client.close()))
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { answers: times.length, seconds, p50: at(0.5), p99: at(0.99), faults }
}

/** Sends a request and checks its response; returns the error, if any. */
function send(client: Client, asked: RoundAsked, request: BenchRequest, number: number) {
  const { method, path, token, body, holds } = request
  const chunks: Buffer[] = []
  let status = 0
  return new Promise<string | undefined>((resolve) => {
    const options: Dispatcher.DispatchOptions = {
      method,
      path,
      headers: {
        authorization: `Bearer ${asked.tokens[token]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      ...(body === undefined ? {} : { body: numbered(body, number) })
    }
    client.dispatch(options, {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        status = statusCode
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        resolve(faultOf(asked, status, Buffer.concat(chunks), holds))
      },
      onResponseError: (_controller, error) => resolve(error.message)
    })
  })
}

const numbered = (body: string, number: number) =>
  body.includes('-#-') ? body.replaceAll('-#-', `-${number}-`) : body

function faultOf({ status, least }: RoundAsked, found: number, body: Buffer, holds: string | undefined) {
  if (found !== status) return `status ${found}: ${body.toString().slice(0, 300)}`
  if (body.length < least) return `${body.length} bytes: ${body.toString().slice(0, 300)}`
  return holds !== undefined && !body.includes(holds) ? `no ${holds} in it` : undefined
}

process.on('message', (asked: RoundAsked) => {
  play(asked).then(
    (round) => process.send?.(round),
    (error) => process.send?.({ faults: [String(error)] })
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
