import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, errors, Pool } from 'undici'
import { parseRetryAfterMs } from '../../platform/http-client/single-attempt.js'
import { hostOf, type Targets } from '../targets.js'

/** A delivery, signed. */
export interface Delivery {
  target: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** The result of an attempt, such as `DELIVERED`, `STATUS_503` or `TIMEOUT`. */
export interface DeliveryOutcome {
  result: string
  /** The delay that the target requested. */
  retryAfterMs?: number | undefined
}

export interface Sender {
  /** Sends once. Does not reject: every failure is an outcome. */
  send(delivery: Delivery, signal: AbortSignal): Promise<DeliveryOutcome>
  close(): Promise<void>
}

export type ResolveHost = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void
) => void

interface SenderOptions {
  targets: Targets
  timeoutMs?: number
  /** Default: the resolver of the operating system. */
  resolveHost?: ResolveHost
}

/** Milliseconds of an attempt, from the connection to the end of the response. */
export const DELIVERY_TIMEOUT_MS = 15_000

/** Bytes of a response that are read, and ignored. */
const MAX_RESPONSE_BYTES = 65_536

/** The host has an address that is neither public nor listed for this origin. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/**
 * Sends deliveries. The addresses of a host are resolved once for each connection, checked, and
 * then used, so that a name cannot change its address between the check and the connection.
 * Redirects are not followed.
 */
export function createSender({
  targets,
  timeoutMs = DELIVERY_TIMEOUT_MS,
  resolveHost = (host, done) => systemLookup(host, { all: true }, done)
}: SenderOptions): Sender {
  const lookupFor =
    (origin: string): LookupFunction =>
    (host, options, done) =>
      resolveHost(host, (error, addresses) => {
        const [first] = addresses ?? []
        if (error || !first) return done(error ?? new Error(`${host} has no address`), '', 0)
        if (addresses.some(({ address }) => !targets.isConnectable(origin, address)))
          return done(new AddressRefused('An address of the target is not allowed.'), '', 0)
        return options.all ? done(null, [...addresses]) : done(null, first.address, first.family)
      })
  const agent = new Agent({
    // No maximum number of connections, because a subscription uses at most one and must not wait
    // for other subscriptions.
    factory: (origin, options) =>
      new Pool(origin, { ...options, connect: { lookup: lookupFor(String(origin)), timeout: timeoutMs } })
  })

  return {
    async send({ target, headers, body }, signal) {
      if (!targets.isListed(target)) return { result: 'TARGET_NOT_ALLOWED' }
      const host = hostOf(target)
      // An address needs no lookup.
      if (isIP(host) && !targets.isConnectable(target, host)) return { result: 'ADDRESS_REFUSED' }
      // On Node 20 AbortSignal.any leaves an entry in the signal of the server for each attempt:
      // https://github.com/nodejs/node/issues/54614
      const attempt = new AbortController()
      const abort = () => attempt.abort()
      const timer = setTimeout(abort, timeoutMs)
      signal.addEventListener('abort', abort)
      if (signal.aborted) abort()
      try {
        const { origin, pathname, search } = new URL(target)
        const response = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          headers,
          body,
          signal: attempt.signal
        })
        // The status decides, even if the body does not arrive.
        await response.body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => {})
        const { statusCode, headers: received } = response
        if (statusCode >= 200 && statusCode < 300) return { result: 'DELIVERED' }
        return {
          result: `STATUS_${statusCode}`,
          retryAfterMs: parseRetryAfterMs(received['retry-after'])
        }
      } catch (cause) {
        if (signal.aborted) return { result: 'ABORTED' }
        return { result: attempt.signal.aborted ? 'TIMEOUT' : failureOf(cause) }
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
    },
    close: () => agent.destroy()
  }
}

function failureOf(cause: unknown): string {
  if (cause instanceof AddressRefused) return cause.code
  return cause instanceof errors.ConnectTimeoutError ? 'TIMEOUT' : 'CONNECTION_FAILED'
}
