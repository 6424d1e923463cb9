import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ProblemError, SslClient, type SubscriptionInput } from '../clients/typescript/src/index.js'
import { loadConfig } from '../fastify.config.js'
import { eventTypes } from '../src/ledger/event-types.js'
import type { UserType } from '../src/platform/auth/caller.js'
import { unsignedToken } from '../src/platform/auth/tokens/unsigned-token.js'

/*
 * Subscribes the receiver of `examples/receiver.mjs` to the events of a running server, and prints
 * those that it gets until it is stopped. The subscription ends with it.
 */

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: loadConfig().publicUrl },
    port: { type: 'string', default: '8080' },
    as: { type: 'string', default: 'MonitoringResponsible' },
    organization: { type: 'string', default: 'https://fhir.example/Organization/aarhus-kommune' },
    types: { type: 'string', default: Object.values(eventTypes).flat().join() }
  }
})
const target = `http://127.0.0.1:${values.port}/`
const secret = `whsec_${randomBytes(32).toString('base64')}`
const user = { userType: values.as as UserType, organization: values.organization }
const { order } = new SslClient({ origin: values.url, token: process.env.TOKEN ?? unsignedToken(user) })

Object.assign(process.env, { SECRET: secret, PORT: values.port })
await import(new URL('../examples/receiver.mjs', import.meta.url).href)

try {
  const types = values.types.split(',') as SubscriptionInput['types']
  const { id } = await order.createSubscription({ target, types, secret })
  process.stdout.write(`Listening at ${target} with subscription ${id}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => order.deleteSubscription(id).finally(() => process.exit()))
} catch (error) {
  const { message } = error as Error
  const isRefused = error instanceof ProblemError && error.code === 'target-not-allowed'
  process.stderr.write(
    `${message}\n${isRefused ? `Start the server with EVENT_TARGETS=${new URL(target).origin}\n` : ''}`
  )
  process.exit(1)
}
