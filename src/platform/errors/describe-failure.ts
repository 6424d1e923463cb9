import { driverError } from './pg-errors.js'

/** What to do about an error of this code. */
const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program listens there: stop it, or set PORT to another port.',
  ECONNREFUSED: 'The database does not answer there: start it, or set DATABASE_URL to another one.',
  '3D000': 'Create the database, or set DATABASE_URL to another one.',
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '08006': 'Start this program again once the database answers.',
  '08007': 'Start this program again once the database answers.'
}

/** Why the program ends, in one sentence, and what to do where that can be known; without a stack trace. */
export function describeFailure(error: unknown): string {
  const { code = '', message = String(error), ...more } = told(error) as Partial<NodeJS.ErrnoException>
  const hint = code === 'EACCES' ? adviceOnAccess(more) : advice[code]
  return hint === undefined ? message : `${message}\n${hint}`
}

/** What Drizzle throws holds the statement and its parameters in its message; the driver's error does not. */
function told(error: unknown): object {
  const isDrizzle = error instanceof Error && 'query' in error
  return Object((isDrizzle ? driverError(error) : undefined) ?? error)
}

function adviceOnAccess({ syscall, path }: Partial<NodeJS.ErrnoException>): string | undefined {
  if (syscall === 'listen')
    return 'This user may not listen there: set PORT to a port from 1024 on, or let a proxy take that port.'
  return path === undefined
    ? undefined
    : `Give this user access to ${path}, or start the program as another user.`
}
