import pino from 'pino'

/** Milliseconds for which lines are gathered, and the characters that are written at once. */
const GATHER_MS = 100
const GATHER_LENGTH = 16_000

/**
 * The standard output, to which log lines are written together: a write for each request was a
 * fifth of the processor time of a small one. Lines are written when the program ends, also after
 * an uncaught exception; `kill -9` loses those of the last tenth of a second.
 */
export function logOutput() {
  const output = pino.destination({
    dest: 1,
    minLength: GATHER_LENGTH,
    periodicFlush: GATHER_MS,
    sync: true
  })
  process.once('exit', () => output.flushSync())
  return output
}
