import { setFlagsFromString } from 'node:v8'
import { describeFailure } from './platform/errors/describe-failure.js'
import { redactError } from './platform/errors/redact-error.js'

// By default V8 lets the heap grow to four times the live objects before it collects. For a large
// import that garbage was most of the memory.
setFlagsFromString('--heap-growing-percent=100')

/** Shutdown functions of started parts, to run in reverse order. */
const shutdownHooks: (() => Promise<unknown>)[] = []
let started: Promise<void> = Promise.resolve()
const stopping = new AbortController()
let exitCode = 0

/** Stops the program once, also during its start. The first exit code other than 0 wins. */
async function stop(code: number): Promise<void> {
  exitCode ||= code
  if (stopping.signal.aborted) return
  stopping.abort()
  await started.catch(() => {})
  for (const shutDown of shutdownHooks.reverse())
    await shutDown().catch((error) =>
      logFatal(`Error during shutdown: ${JSON.stringify(redactError(error))}`)
    )
  process.exit(exitCode)
}

/**
 * Under npm one Ctrl-C sends SIGINT twice. Only a SIGINT after this time counts as a second Ctrl-C.
 */
const NEXT_INTERRUPT_MS = 1000

let interruptedAt: number | undefined

/** Stops the program; ends it at once on a second Ctrl-C, because its shutdown may hang. */
function interrupt(): void {
  const now = performance.now()
  interruptedAt ??= now
  if (now - interruptedAt >= NEXT_INTERRUPT_MS) {
    logFatal('Ended by a second Ctrl-C before the shutdown was complete. All committed data is intact.')
    process.exit(exitCode || 130)
  }
  void stop(0)
}

function logFatal(error: unknown): void {
  process.stderr.write(`${describeFailure(error)}\n`)
}

function fail(error: unknown): void {
  logFatal(error)
  void stop(1)
}

process.removeAllListeners('warning')
// The text of a warning may contain request data.
process.on('warning', (warning) => {
  process.stderr.write(`${JSON.stringify({ warning: redactError(warning) })}\n`)
})
// A closed reader of the output must not stop the program, and cannot be reported on the output.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.on('SIGTERM', () => void stop(0))
process.on('SIGINT', interrupt)
process.on('uncaughtException', (error) => {
  // Node would print the message, which may contain patient data, and leave PostgreSQL running.
  fail(`Stopping after an uncaught exception: ${JSON.stringify(redactError(error))}`)
})

/** Takes the remaining arguments. May return an exit code after it has reported the reason. */
type Command = (signal: AbortSignal, args: readonly string[]) => Promise<unknown>

/**
 * The commands, by their name. The modules are imported when a command runs, so that a signal
 * meanwhile is handled.
 */
const commands: Readonly<Record<string, Command>> = {
  '--help': async () => printUsage(),
  migrate: async (signal, [argument]) => {
    if (argument === '--help') return printUsage()
    if (argument !== undefined) return rejectArguments(`migrate takes no arguments. Remove ${argument}.`)
    return (await import('./commands/migrate.js')).migrateDatabase(signal)
  },
  operator: async (signal, args) => (await import('./commands/operator.js')).runOperator(signal, args)
}

const usage =
  'Omit the command to start the server, use migrate to migrate the database of DATABASE_URL, or operator to export and remove data.'

function printUsage(): void {
  process.stdout.write(`Usage: node dist/program/main.js [migrate | operator <command>]\n${usage}\n`)
}

/** Reports invalid arguments and returns the exit code. */
function rejectArguments(reason: string): number {
  logFatal(reason)
  return 2
}

async function run(command?: string, ...args: readonly string[]): Promise<void> {
  if (command === undefined) {
    const { start } = await import('./commands/start.js')
    return start((hook) => shutdownHooks.push(hook), fail, stopping.signal)
  }
  const runCommand = Object.hasOwn(commands, command) ? commands[command] : undefined
  const code = runCommand
    ? await runCommand(stopping.signal, args)
    : rejectArguments(`There is no command ${command}. ${usage}`)
  void stop(Number(code ?? 0))
}

try {
  started = run(...process.argv.slice(2))
  await started
} catch (error) {
  // A signal ended the start. During a stop after another error, the reason has already been
  // reported.
  const isAborted = stopping.signal.aborted && (error as Error).name === 'AbortError'
  if (!isAborted && exitCode === 0) logFatal(error)
  await stop(isAborted ? 0 : 1)
}
