import type { FastifyRequest } from 'fastify'
import { type Caller, slotOwnerOf } from '../platform/auth/caller.js'
import { NoSlot, type ReleaseSlots, type Slots } from '../platform/concurrency/slots.js'
import type { Problem } from '../platform/errors/problem.js'

interface Waiter {
  /**
   * The reason why the request must not wait: too many requests already wait. Such a request is not
   * counted.
   */
  refusal: Problem | undefined
  /**
   * Whether the wait must end: its time is over, the client has disconnected, the caller has lost
   * access, or the server shuts down.
   */
  isOver(): boolean
  /** Calls `end` some time after the request should have ended, if it is still open. */
  onOver(end: () => void): void
  remove(): void
}

/** Milliseconds of a wait during a shutdown. */
const SHUTDOWN_WAIT_MS = 1000

/** Milliseconds between two checks for streams that should have ended. */
const CHECK_MS = 2000

/** Limits and ends the requests that wait for events. */
export function createWaiters(
  slots: Slots,
  isShuttingDown: () => boolean,
  isRefused: (caller: Caller) => boolean = () => false
) {
  function takeSlot(caller: Caller): { release?: ReleaseSlots; refusal?: Problem } {
    try {
      return { release: slots.take(slotOwnerOf(caller)) }
    } catch (cause) {
      if (!(cause instanceof NoSlot)) throw cause
      return { refusal: cause }
    }
  }

  return {
    /** @param maxMs milliseconds for which the request may wait; with 0 it is not limited. */
    add({ raw, state }: FastifyRequest, maxMs: number): Waiter {
      const { caller } = state.call
      const { release, refusal } = maxMs > 0 ? takeSlot(caller) : {}
      const start = performance.now()
      let timer: NodeJS.Timeout | undefined
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
          release?.()
          clearInterval(timer)
        }
      }
    }
  }
}
