const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delay of each attempt after the previous one, in milliseconds (Standard Webhooks). */
export const RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR
]

/**
 * The maximum fraction by which a delay is extended at random, so that targets do not get all
 * retries at once.
 */
export const MAX_JITTER = 0.1

/** The maximum delay that a target may request. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR

/**
 * Milliseconds until the next attempt after this many failures in a row. Undefined when there is no
 * further attempt.
 * @param retryAfterMs the delay that the target requested.
 * @param random from 0 to 1.
 */
export function retryDelayMs(failures: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const delay = RETRY_DELAYS_MS[failures]
  if (delay === undefined) return undefined
  return Math.round(Math.max(delay * (1 + MAX_JITTER * random), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)))
}
