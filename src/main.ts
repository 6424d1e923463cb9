import { setFlagsFromString } from 'node:v8'
import { describeFailure } from './platform/errors/describe-failure.js'
import { redactError } from './platform/errors/redact-error.js'
import { suppressProcessWarnings } from './platform/logging/process-warnings.js'

// V8 may let a heap grow to four times what is alive before it collects: most of the memory of a large import waited for that.
setFlagsFromString('--heap-growing-percent=100')

/** What was started, to be stopped in reverse order. */
const stops: (() => Promise<unknown>)[] = []
let started: Promise<void> = Promise.resolve()
let stopping = false
let exitCode = 0

/** Stops once, however often it is asked to; also what is still being started. A code other than 0 stays. */
async function stop(code: number): Promise<void> {
  exitCode ||= code
  if (stopping) return
  stopping = true
  await started.catch(() => {})
  for (const each of stops.reverse())
    await each().catch((error) => complain(`A fault while stopping: ${JSON.stringify(redactError(error))}`))
  process.exit(exitCode)
}

function complain(error: unknown): void {
  process.stderr.write(`${describeFailure(error)}\n`)
}

/** Says why the program ends, and ends it. */
function fail(error: unknown): void {
  complain(error)
  void stop(1)
}

suppressProcessWarnings()
// Who reads what is written may go away; that is no reason to stop, nor to complain of it, which would be written as well.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))
process.on('uncaughtException', (error) => {
  // Node itself would print the message, which may hold patient data, and leave the embedded PostgreSQL behind.
  fail(`Stopping after a fault of ours: ${JSON.stringify(redactError(error))}`)
})

try {
  // Loaded only now: a signal that comes while the program is read must already be heard.
  started = import('./start.js').then(({ start }) => start((each) => stops.push(each), fail))
  await started
} catch (error) {
  // Where it is stopping already, the reason was given.
  if (!stopping || exitCode === 0) complain(error)
  await stop(1)
}
