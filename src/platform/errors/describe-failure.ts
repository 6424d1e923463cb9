import { unwrapDriverError } from './pg-errors.js'

/** Remedies by error code. */
const hints: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'Another program uses this port, possibly another instance of the service. Stop that program, or set PORT (or METRICS_PORT) to another port.',
  ECONNREFUSED: 'The database does not respond. Start it, or change DATABASE_URL.',
  '3D000': 'Create the database, or change DATABASE_URL.',
  '42501':
    'The role in DATABASE_URL lacks this right. Run node dist/program/main.js migrate with the owner of the schema in DATABASE_URL, and the role that serves in DATABASE_SERVER_ROLE.',
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '08P01':
    'This is most likely a connection pooler. If it does not support a parameter, set DATABASE_POOLER=transaction.',
  '25006':
    'The database is a standby or read-only. Set DATABASE_URL to the primary, or to all hosts of the cluster.',
  '08001': 'Start this program again when a host accepts writes, or change DATABASE_URL.',
  '08006': 'Start this program again when the database responds.',
  '08007': 'Start this program again when the database responds.'
}

/** Describes why the program ends and, if known, the remedy, without a stack trace. */
export function describeFailure(error: unknown): string {
  const {
    code = '',
    message = String(error),
    ...more
  } = withoutStatement(error) as Partial<NodeJS.ErrnoException>
  const hint = code === 'EACCES' ? accessHint(more) : hints[code]
  return hint === undefined ? message : `${message}\n${hint}`
}

/** Unwraps Drizzle's errors, because their message contains the statement and its parameters. */
function withoutStatement(error: unknown): object {
  const isDrizzle = error instanceof Error && 'query' in error
  return Object((isDrizzle ? unwrapDriverError(error) : undefined) ?? error)
}

function accessHint({ syscall, path }: Partial<NodeJS.ErrnoException>): string | undefined {
  if (syscall === 'listen')
    return 'This user may not listen on this port. Set PORT to 1024 or higher, or put a proxy in front.'
  return path === undefined
    ? undefined
    : `Give this user access to ${path}, or start the program as another user.`
}
