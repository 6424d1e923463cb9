import type { FastifyRequest } from 'fastify'

/** A request that waits for events. */
interface Waiter {
  /** Whether too many wait already: the request is over at once. */
  isRefused: boolean
  /** Whether it shall end: its time is over, its client is gone, or the server shuts down. */
  isOver(): boolean
  /** Calls `end` some time after the request should have ended, if it is still there. */
  onOver(end: () => void): void
  remove(): void
}

export interface Waiters {
  /** @param maxMs milliseconds for which the request may wait. */
  add(request: FastifyRequest, maxMs: number): Waiter
}

/** Waiting requests of a feed in an instance. */
const MAX_WAITERS = 1000

/** Milliseconds of a wait during a shutdown. */
const SHUTDOWN_WAIT_MS = 1000

/** Milliseconds between two looks for streams that should have ended. */
const CHECK_MS = 2000

/** Limits and ends the requests that wait for events. */
export function createWaiters(isShuttingDown: () => boolean): Waiters {
  let waiting = 0
  return {
    add({ raw }, maxMs) {
      const isRefused = waiting >= MAX_WAITERS
      const start = performance.now()
      let timer: NodeJS.Timeout | undefined
      let isRemoved = false
      const isOver = () => {
        const elapsed = performance.now() - start
        return (
          isRefused ||
          elapsed >= maxMs ||
          raw.socket.destroyed ||
          (isShuttingDown() && elapsed > SHUTDOWN_WAIT_MS)
        )
      }
      waiting++
      return {
        isRefused,
        isOver,
        onOver(end) {
          let wasOver = false
          timer = setInterval(() => {
            if (wasOver) end()
            wasOver = isOver()
          }, CHECK_MS).unref()
        },
        remove() {
          if (!isRemoved) waiting--
          isRemoved = true
          clearInterval(timer)
        }
      }
    }
  }
}
