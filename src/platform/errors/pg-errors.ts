import { type ConstraintProblems, type Problem, problem } from './problem.js'
import { violatedConstraint } from './redact-error.js'

/** Codes of the driver (CONNECT…) and of sockets. */
const CONNECTION_LOST = /^(08|CONNECT|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/
/** SQLSTATE: connection exceptions, insufficient resources, shutdown, a canceled statement. */
const UNAVAILABLE = /^(08|53|57P0|57014)/
/** SQLSTATE: transaction_resolution_unknown, statement_completion_unknown. */
const OUTCOME_UNKNOWN = new Set(['08007', '40003'])
/** SQLSTATE: read_only_sql_transaction. */
const READ_ONLY = '25006'
/** SQLSTATE of errors of Citus for a lost connection to a worker: internal_error, io_error. */
const WORKER_ERRORS = new Set(['XX000', '58030'])
/** Their messages. */
const WORKER_LOST =
  /^(failure on connection|server closed the connection|connection not open|terminating connection|failed to COPY to shard)/
const LOCK_CONFLICT = new Set(['40001', '40P01', '55P03'])
const UNSTORABLE_TEXT = new Set(['22021', '22P05'])

/**
 * Whether a statement was refused because its server accepts no writes, as a standby after a
 * failover. It has no effect.
 */
export const isReadOnlyServer = (error: unknown): boolean => unwrapDriverError(error)?.code === READ_ONLY

/**
 * Whether the connection to the database was lost, could not be opened, or leads to a server that
 * accepts no writes. The next query may reach another server.
 */
export function isConnectionLost(error: unknown): boolean {
  const cause = unwrapDriverError(error)
  if (!cause) return false
  if (isReadOnlyServer(cause)) return true
  // Errors that PostgreSQL sends have a severity. Only these end the connection.
  const { severity } = cause
  return severity === undefined ? CONNECTION_LOST.test(cause.code) : /^(FATAL|PANIC)$/.test(severity)
}

/**
 * Whether a failed statement may have taken effect, because the connection was lost before the
 * response. After any other error it has no effect.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return OUTCOME_UNKNOWN.has(unwrapDriverError(error)?.code ?? '')
}

/** Converts an error of the database driver (SQLSTATE or socket code). Undefined for others. */
export function problemOfPgError(error: unknown, constraints: ConstraintProblems): Problem | undefined {
  const cause = unwrapDriverError(error)
  if (!cause) return undefined
  const { code } = cause
  if (isConnectionLost(cause) || isOutcomeUnknown(cause) || UNAVAILABLE.test(code) || isWorkerLost(cause))
    return problem('database-unavailable', undefined, { cause })
  if (LOCK_CONFLICT.has(code)) return problem('busy', undefined, { headers: { 'retry-after': '1' }, cause })
  if (UNSTORABLE_TEXT.has(code)) return problem('malformed-text')
  // Only class 23: the error of a too long index entry names the constraint as well. Citus relays
  // some errors of its nodes as XX000.
  return /^(23|XX000)/.test(code) ? constraints[constraintOf(cause)]?.() : undefined
}

/** Whether a node of Citus is away. */
export const isWorkerLost = ({ code, message }: DriverError): boolean =>
  WORKER_ERRORS.has(code) && WORKER_LOST.test(message)

/** On the nodes of Citus, names end with the number of the shard. */
const constraintOf = (error: DriverError): string => (violatedConstraint(error) ?? '').replace(/_\d+$/, '')

type DriverError = Error & { code: string; severity?: string; constraint_name?: string }

/** Unwraps the driver's error, with its SQLSTATE, from Drizzle's. Undefined for other errors. */
export function unwrapDriverError(error: unknown): DriverError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = (each as { code?: unknown }).code
    if (typeof code === 'string' && !code.startsWith('FST_')) return each as DriverError
  }
  return undefined
}
