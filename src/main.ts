import { setFlagsFromString } from 'node:v8'
import { describeFailure } from './platform/errors/describe-failure.js'
import { redactError } from './platform/errors/redact-error.js'
import { redactProcessWarnings } from './platform/logging/process-warnings.js'

// By default V8 lets the heap grow to four times the live objects before it collects. For a large
// import that garbage was most of the memory.
setFlagsFromString('--heap-growing-percent=100')

/** Shutdown functions of started parts, to run in reverse order. */
const shutdownHooks: (() => Promise<unknown>)[] = []
let started: Promise<void> = Promise.resolve()
let isStopping = false
let exitCode = 0

/** Stops the program once, also during its start. The first exit code other than 0 wins. */
async function stop(code: number): Promise<void> {
  exitCode ||= code
  if (isStopping) return
  isStopping = true
  await started.catch(() => {})
  for (const shutDown of shutdownHooks.reverse())
    await shutDown().catch((error) =>
      logFatal(`Error during shutdown: ${JSON.stringify(redactError(error))}`)
    )
  process.exit(exitCode)
}

function logFatal(error: unknown): void {
  process.stderr.write(`${describeFailure(error)}\n`)
}

/** Reports the error and ends the program. */
function fail(error: unknown): void {
  logFatal(error)
  void stop(1)
}

redactProcessWarnings()
// A closed reader of the output must not stop the program, and cannot be reported on the output.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))
process.on('uncaughtException', (error) => {
  // Node would print the message, which may contain patient data, and leave PostgreSQL running.
  fail(`Stopping after an uncaught exception: ${JSON.stringify(redactError(error))}`)
})

/** Runs a command, or starts the server. Imported here, so that a signal meanwhile is handled. */
async function run([command]: readonly string[]): Promise<void> {
  if (command === undefined) {
    const { start } = await import('./start.js')
    return start((hook) => shutdownHooks.push(hook), fail)
  }
  if (command !== 'distribute')
    throw new Error(
      `There is no command ${command}. Omit it to start the server, or use distribute to distribute the tables of DATABASE_URL over a Citus cluster.`
    )
  const { distributeDatabase } = await import('./distribute.js')
  await distributeDatabase()
  void stop(0)
}

try {
  started = run(process.argv.slice(2))
  await started
} catch (error) {
  // While stopping after another error, its reason has been reported.
  if (!isStopping || exitCode === 0) logFatal(error)
  await stop(1)
}
