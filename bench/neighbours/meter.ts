import { Client } from 'undici'

/**
 * A caller with one request at a steady rate. It runs in its own process, so that it measures the
 * server and not the load generator. Times count from when a request was due.
 */

export interface MeterAsked {
  origin: string
  path: string
  authorization: string
  /** Milliseconds between two requests. */
  every: number
}

const idle = new Promise<void>((resolve) => process.once('disconnect', resolve))
let isMeasuring = false
let times: Promise<number>[] = []

async function measure({ origin, path, authorization, every }: MeterAsked): Promise<void> {
  const client = new Client(origin, { pipelining: 100 })
  isMeasuring = true
  times = []
  for (let due = performance.now(); isMeasuring; due += every) {
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    times.push(
      client
        .request({ method: 'GET', path, headers: { authorization } })
        .then(async ({ statusCode, body }) => {
          await body.dump()
          return statusCode === 200 ? performance.now() - due : Number.POSITIVE_INFINITY
        })
    )
  }
}

async function report(): Promise<void> {
  isMeasuring = false
  process.send?.(await Promise.all(times))
}

process.on('message', (message: MeterAsked | 'stop') => {
  void (message === 'stop' ? report() : measure(message))
})
process.send?.('ready')
await idle
process.exit(0)
