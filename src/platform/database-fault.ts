import { type ConstraintProblems, type Problem, problem } from './problem.js'

const connectionLost = /^(08|57P0|53)|^(CONNECT|CONNECTION_|ECONN|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT)/
const lockTrouble = new Set(['40001', '40P01', '55P03'])
const unstorable = new Set(['22021', '22P05'])

/** Whether the connection to the database went, or none came about. */
export function isConnectionLost(error: unknown): boolean {
  const cause = driverError(error)
  // FATAL ends the session: the server takes no connections, or no more of them.
  return cause !== undefined && (connectionLost.test(cause.code) || cause.severity === 'FATAL')
}

/** Translates an error of the database driver (SQLSTATE or socket code); undefined for anything else. */
export function faultOf(error: unknown, constraints: ConstraintProblems): Problem | undefined {
  const cause = driverError(error)
  if (!cause) return undefined
  const { code } = cause
  if (isConnectionLost(cause) || code === '57014')
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
