import { type ConstraintProblems, type Problem, problem } from './problem.js'

/** Codes of the driver and of sockets; the driver's own begin with CONNECT. */
const connectionLost = /^(08|CONNECT|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/
/** SQLSTATE: connection exceptions, insufficient resources, shutdown, a canceled statement. */
const unavailable = /^(08|53|57P0|57014)/
/** SQLSTATE: transaction_resolution_unknown, statement_completion_unknown. */
const outcomeUnknown = new Set(['08007', '40003'])
const lockTrouble = new Set(['40001', '40P01', '55P03'])
const unstorable = new Set(['22021', '22P05'])

/** Whether the connection to the database was lost or could not be opened. */
export function isConnectionLost(error: unknown): boolean {
  const cause = driverError(error)
  if (!cause) return false
  // An error that PostgreSQL itself sends ends the connection only with these severities.
  const { severity } = cause
  return severity === undefined ? connectionLost.test(cause.code) : /^(FATAL|PANIC)$/.test(severity)
}

/**
 * Whether a statement may have taken effect although it failed: it was sent, and the connection was lost before the answer.
 * Every other error means that it has no effect.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return outcomeUnknown.has(driverError(error)?.code ?? '')
}

/** Translates an error of the database driver (SQLSTATE or socket code); undefined for anything else. */
export function problemOfPgError(error: unknown, constraints: ConstraintProblems): Problem | undefined {
  const cause = driverError(error)
  if (!cause) return undefined
  const { code } = cause
  if (isConnectionLost(cause) || isOutcomeUnknown(cause) || unavailable.test(code))
    return problem('database-unavailable', 'Try again later.', { headers: { 'retry-after': '5' }, cause })
  if (lockTrouble.has(code)) return problem('busy', 'Try again.', { headers: { 'retry-after': '1' }, cause })
  if (unstorable.has(code)) return problem('malformed-text', 'The request holds text that cannot be stored.')
  // Class 23 alone: an index entry that is too long names the constraint as well.
  return code.startsWith('23') ? constraints[cause.constraint_name ?? '']?.() : undefined
}

type DriverError = Error & { code: string; severity?: string; constraint_name?: string }

/** The error of the driver, with its SQLSTATE: Drizzle wraps it, at times more than once. Undefined for any other error. */
export function driverError(error: unknown): DriverError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = (each as { code?: unknown }).code
    if (typeof code === 'string' && !code.startsWith('FST_')) return each as DriverError
  }
  return undefined
}
