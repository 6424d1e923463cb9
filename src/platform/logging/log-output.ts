import { writeSync } from 'node:fs'
import pino from 'pino'
import { meter } from '../telemetry/meter.js'

/** Milliseconds for which lines are collected, and the maximum characters of a write. */
const GATHER_MS = 100
const GATHER_LENGTH = 16_000

/**
 * Maximum characters that wait while the reader of the output does not read. Further lines are
 * lost.
 */
const MAX_WAITING_LENGTH = 1_048_576

/**
 * Maximum milliseconds for which the ending program waits for the reader, and milliseconds between
 * two attempts.
 */
const MAX_END_MS = 2000
const END_RETRY_MS = 10

/**
 * The standard output, to which several log lines are written together. A write for each request
 * took a fifth of the processor time of a small request. If the reader stops reading, lines are
 * lost and counted, but no request waits. The destination of pino waits for a full pipe and blocks
 * the process, and with `sync: false` it loses lines when the program ends.
 */
export function logOutput() {
  const lostLines = meter().createCounter('ssl.log.lost_lines', {
    description: 'Log lines that were lost because the standard output was not read.'
  })
  lostLines.add(0)
  // The first use of the stream makes a pipe non-blocking. A write to a full pipe then fails with
  // EAGAIN.
  const { fd } = process.stdout
  let gathered = ''
  /** The rest of a partially written text. */
  let rest = Buffer.alloc(0)
  let lost = 0
  const reporter = pino({}, { write: (line: string) => append(line) })

  function append(line: string): void {
    gathered += line
  }

  function reportLost(): void {
    const lines = lost
    lost = 0
    if (lines > 0) reporter.warn({ lines }, 'Log lines were lost because the standard output was not read.')
  }

  function write(line: string): void {
    if (rest.length + gathered.length + line.length > MAX_WAITING_LENGTH) {
      lost++
      lostLines.add(1)
      return
    }
    reportLost()
    append(line)
    if (gathered.length >= GATHER_LENGTH) flush()
  }

  /** Writes as much as the reader takes. Returns the error of the rest. */
  function flush(): NodeJS.ErrnoException | undefined {
    try {
      for (;;) {
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
        reportLost()
        if (gathered === '') return undefined
        rest = Buffer.from(gathered)
        gathered = ''
      }
    } catch (error) {
      return error as NodeJS.ErrnoException
    }
  }

  /** The event loop has ended: waits for a slow reader. */
  function flushAtEnd(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4))
    const end = performance.now() + MAX_END_MS
    while (flush()?.code === 'EAGAIN' && performance.now() < end) Atomics.wait(pause, 0, 0, END_RETRY_MS)
  }

  setInterval(flush, GATHER_MS).unref()
  process.once('exit', flushAtEnd)
  return { write, flush }
}
