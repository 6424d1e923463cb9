import type { FastifyRequest } from 'fastify'
import { type Caller, callerKeyOf } from '../platform/auth/caller.js'
import { type Problem, problem } from '../platform/errors/problem.js'
import { eventProblem } from './problems.js'

/** A request that waits for events. */
interface Waiter {
  /** Why the request must not wait: too many do already. Then it is not counted. */
  refusal: Problem | undefined
  /**
   * Whether it shall end: its time is over, its client is gone, its caller is refused from now on,
   * or the server shuts down.
   */
  isOver(): boolean
  /** Calls `end` some time after the request should have ended, if it is still there. */
  onOver(end: () => void): void
  remove(): void
}

export interface Waiters {
  /** @param maxMs milliseconds for which the request may wait; with 0 it is not limited. */
  add(request: FastifyRequest, maxMs: number): Waiter
}

/** Waiting requests of a feed in an instance. */
const MAX_WAITERS = 1000

/** Waiting requests of one caller and of one organization, which leave places to all others. */
const shares = [
  { refusal: 'too-many-requests.ofCaller', maximum: 100, keyOf: callerKeyOf },
  {
    refusal: 'too-many-requests.ofOrganization',
    maximum: 250,
    keyOf: ({ organization = '' }: Caller) => organization
  }
] as const

/** Milliseconds of a wait during a shutdown. */
const SHUTDOWN_WAIT_MS = 1000

/** Milliseconds between two looks for streams that should have ended. */
const CHECK_MS = 2000

/** Limits and ends the requests that wait for events. */
export function createWaiters(
  isShuttingDown: () => boolean,
  isRefused: (caller: Caller) => boolean = () => false
): Waiters {
  let waiting = 0
  /** By the keys of callers and of organizations. */
  const waitingOf = new Map<string, number>()

  function count(caller: Caller, change: 1 | -1): void {
    waiting += change
    for (const { keyOf } of shares) {
      const key = keyOf(caller)
      const own = (waitingOf.get(key) ?? 0) + change
      if (own > 0) waitingOf.set(key, own)
      else waitingOf.delete(key)
    }
  }

  function refusalOf(caller: Caller): Problem | undefined {
    const share = shares.find(({ keyOf, maximum }) => (waitingOf.get(keyOf(caller)) ?? 0) >= maximum)
    if (share) return eventProblem(share.refusal, null, { maximum: share.maximum })
    return waiting < MAX_WAITERS ? undefined : problem('busy')
  }

  return {
    add({ raw, state }, maxMs) {
      const { caller } = state.call
      const isWaiting = maxMs > 0
      const refusal = isWaiting ? refusalOf(caller) : undefined
      const start = performance.now()
      let timer: NodeJS.Timeout | undefined
      let isCounted = isWaiting && !refusal
      const isOver = () => {
        const elapsed = performance.now() - start
        return (
          refusal !== undefined ||
          elapsed >= maxMs ||
          raw.socket.destroyed ||
          isRefused(caller) ||
          (isShuttingDown() && elapsed > SHUTDOWN_WAIT_MS)
        )
      }
      if (isCounted) count(caller, 1)
      return {
        refusal,
        isOver,
        onOver(end) {
          let wasOver = false
          timer = setInterval(() => {
            if (wasOver) end()
            wasOver = isOver()
          }, CHECK_MS).unref()
        },
        remove() {
          if (isCounted) count(caller, -1)
          isCounted = false
          clearInterval(timer)
        }
      }
    }
  }
}
