import { setTimeout as pause } from 'node:timers/promises'

/** Each retry may wait this much longer than the one before, in milliseconds. */
const BACKOFF_STEP_MS = 1

/** Maximum delay before a retry, in milliseconds. */
const MAX_BACKOFF_MS = 100

/** Waits a random time before a retry after a conflict. `retries` counts those before it. */
export const pauseBeforeRetry = (retries: number): Promise<void> =>
  pause(Math.random() * Math.min(retries * BACKOFF_STEP_MS, MAX_BACKOFF_MS))
