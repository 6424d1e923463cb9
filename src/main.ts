import { driverError } from './platform/database-fault.js'
import { traceOf } from './platform/error-trace.js'

/** What was started, to be stopped in reverse order. */
const stops: (() => Promise<unknown>)[] = []
let started: Promise<void> = Promise.resolve()
let stopping = false

/** Stops once, however often it is asked to; also what is still being started. */
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  await started.catch(() => {})
  for (const each of stops.reverse()) await each().catch(complain)
  process.exit(code)
}

/** Says in one sentence why the program ends, and what to do where that can be known. */
function complain(error: unknown): void {
  const { code, message = String(error) } = (driverError(error) ?? error) as {
    code?: string
    message?: string
  }
  process.stderr.write(`${message}${advice[code ?? ''] ?? ''}\n`)
}

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: '\nAnother program listens there: stop it, or set PORT to another port.',
  ECONNREFUSED: '\nThe database does not answer there: start it, or set DATABASE_URL to another one.',
  '3D000': '\nCreate the database, or set DATABASE_URL to another one.',
  '28P01': '\nCheck the user and the password in DATABASE_URL.'
}

// Who reads what is written may go away; that is no reason to stop, nor to complain of it, which would be written as well.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))
process.on('uncaughtException', (error) => {
  // Node itself would print the message, which may hold patient data, and leave the embedded PostgreSQL behind.
  complain(`Stopping after a fault of ours: ${JSON.stringify(traceOf(error))}`)
  void stop(1)
})

try {
  // Loaded only now: a signal that comes while the program is read must already be heard.
  started = import('./start.js').then(({ start }) => start((each) => stops.push(each)))
  await started
} catch (error) {
  complain(error)
  await stop(1)
}
