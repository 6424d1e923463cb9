import { type ConstraintProblems, type Problem, problem } from './problem.js'

/** Codes of the driver (CONNECT…) and of sockets. */
const CONNECTION_LOST = /^(08|CONNECT|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/
/** SQLSTATE: connection exceptions, insufficient resources, shutdown, a canceled statement. */
const UNAVAILABLE = /^(08|53|57P0|57014)/
/** SQLSTATE: transaction_resolution_unknown, statement_completion_unknown. */
const OUTCOME_UNKNOWN = new Set(['08007', '40003'])
/** SQLSTATE: read_only_sql_transaction. */
const READ_ONLY = '25006'
const LOCK_CONFLICT = new Set(['40001', '40P01', '55P03'])
const UNSTORABLE_TEXT = new Set(['22021', '22P05'])

/**
 * Whether the server accepts no writes, like a standby after a failover. The statement has no
 * effect.
 */
export const isReadOnlyServer = (error: unknown): boolean => unwrapDriverError(error)?.code === READ_ONLY

/**
 * Whether the connection was lost or could not be opened, or its server accepts no writes. The next
 * query may reach another server.
 */
export function isConnectionLost(error: unknown): boolean {
  const cause = unwrapDriverError(error)
  if (!cause) return false
  if (isReadOnlyServer(cause)) return true
  // Errors from PostgreSQL have a severity. Only these severities end the connection.
  const { severity } = cause
  return severity === undefined ? CONNECTION_LOST.test(cause.code) : /^(FATAL|PANIC)$/.test(severity)
}

/**
 * Whether the connection was lost before the response, so that the statement may have taken effect.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return OUTCOME_UNKNOWN.has(unwrapDriverError(error)?.code ?? '')
}

/**
 * Whether the database is unreachable, overloaded or too slow, so that a retry would increase its
 * load.
 */
export function isUnavailable(error: unknown): boolean {
  const cause = unwrapDriverError(error)
  if (!cause) return false
  return isConnectionLost(cause) || isOutcomeUnknown(cause) || UNAVAILABLE.test(cause.code)
}

/** Converts an error of the database driver (SQLSTATE or socket code). Undefined for others. */
export function problemOfPgError(error: unknown, constraints: ConstraintProblems): Problem | undefined {
  const cause = unwrapDriverError(error)
  if (!cause) return undefined
  const { code } = cause
  if (isUnavailable(cause)) return problem('database-unavailable', null, null, { cause })
  if (LOCK_CONFLICT.has(code)) return problem('busy', null, null, { headers: { 'retry-after': '1' }, cause })
  if (UNSTORABLE_TEXT.has(code)) return problem('malformed-text')
  // Only class 23, because the error of a too long index entry also names the constraint.
  return code.startsWith('23') ? constraints[cause.constraint_name ?? '']?.() : undefined
}

type DriverError = Error & { code: string; severity?: string; constraint_name?: string }

/** Unwraps the driver's error, with its SQLSTATE, from Drizzle's. Undefined for other errors. */
export function unwrapDriverError(error: unknown): DriverError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = (each as { code?: unknown }).code
    if (typeof code === 'string' && !code.startsWith('FST_')) return each as DriverError
  }
  return undefined
}
