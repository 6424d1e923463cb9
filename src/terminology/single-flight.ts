import { Aborted, rejectOnAbort } from '../platform/http-client/errors.js'

/**
 * Joins the call in flight with the same key, or starts one. Its signal aborts when no caller
 * waits.
 */
type SingleFlight<T> = (
  key: string,
  signal: AbortSignal,
  start: (signal: AbortSignal) => Promise<T>
) => Promise<T>

/**
 * Shares one call among concurrent callers with the same key. Each caller waits until its own
 * signal aborts.
 */
export function singleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>()

  function startFlight(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const flight = { result: start(controller.signal), callers: 0, abort: () => controller.abort() }
    flights.set(key, flight)
    return flight
  }

  function leave(key: string, flight: Flight<T>): void {
    if (--flight.callers > 0) return
    // Before the abort, so that the next caller starts a new flight.
    if (flights.get(key) === flight) flights.delete(key)
    flight.abort()
  }

  return async (key, signal, start) => {
    if (signal.aborted) throw new Aborted()
    const flight = flights.get(key) ?? startFlight(key, start)
    flight.callers++
    try {
      return await rejectOnAbort(signal, flight.result)
    } finally {
      leave(key, flight)
    }
  }
}

interface Flight<T> {
  result: Promise<T>
  /** Callers that wait for the result. */
  callers: number
  abort: () => void
}
