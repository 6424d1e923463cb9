import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'undici'
import { percentile, type Round, type RoundOptions } from './driver.js'
import type { BenchRequest } from './workloads/workload.js'

/** The load generator. Messages start its rounds. */

/** Number of the next request of all rounds. */
let sentBefore = 0

async function play(options: RoundOptions): Promise<Round> {
  const { requests, perSecond } = options
  const { seconds = Number.POSITIVE_INFINITY, responses = Number.POSITIVE_INFINITY } = options
  const times: number[] = []
  const statuses = new Map<number, number>()
  const errors: string[] = []
  const began = performance.now()
  const last = Math.min(responses, options.once ? requests.length : Number.POSITIVE_INFINITY)
  let next = 0

  async function sendAll(client: Client): Promise<void> {
    while (errors.length <= 5 && next < last) {
      const number = next++
      const request = requests[number % requests.length]
      const due = perSecond === undefined ? performance.now() : began + (number * 1000) / perSecond
      if (!request || Math.max(due, performance.now()) - began >= seconds * 1000) return
      if (due > performance.now()) await pause(due - performance.now())
      const { status, error } = await send(client, options, request, sentBefore + number)
      times.push(error === undefined ? performance.now() - due : Number.POSITIVE_INFINITY)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (error !== undefined) errors.push(`${request.method} ${request.path}: ${error}`)
    }
  }

  const clients = Array.from(
    { length: options.connections },
    () => new Client(options.origin, { pipelining: 1 })
  )
  await Promise.all(clients.map(sendAll))
  const took = (performance.now() - began) / 1000
  await Promise.all(clients.map((client) => client.close()))
  sentBefore += next
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  return { responses: times.length, seconds: took, p50, p99, statuses, errors }
}

/** Sends a request and checks its response. Without a response the status is 0. */
function send(client: Client, { tokens, expected }: RoundOptions, request: BenchRequest, number: number) {
  const { method, path, token, body, contentType = 'application/json', accept, contains } = request
  const chunks: Buffer[] = []
  let status = 0
  const check = () => {
    const found = Buffer.concat(chunks)
    const start = () => found.toString().slice(0, 300)
    if (!expected) return undefined
    if (status !== expected.status) return `status ${status}: ${start()}`
    if (found.length < expected.minBytes) return `${found.length} bytes: ${start()}`
    return contains === undefined || found.includes(contains) ? undefined : `no ${contains} in it`
  }
  return new Promise<{ status: number; error?: string | undefined }>((resolve) => {
    client.dispatch(
      {
        ...{ method: method as 'GET', path },
        headers: {
          authorization: `Bearer ${tokens[token]}`,
          ...(accept !== undefined && { accept }),
          ...(body === undefined ? {} : { 'content-type': contentType })
        },
        body: typeof body === 'string' ? body.replaceAll('-#-', `-${number}-`) : (body ?? null)
      },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode
        },
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve({ status, error: check() }),
        onResponseError: (_controller, { message }) =>
          resolve({ status: 0, ...(expected && { error: message }) })
      }
    )
  })
}

process.on('message', (options: RoundOptions) => {
  play(options).then(
    (round) => process.send?.(round),
    (error) => process.send?.({ errors: [String(error)] })
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
