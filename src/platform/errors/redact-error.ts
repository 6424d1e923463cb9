/** What of an error may be logged: messages can hold SQL parameters and so patient data, hence names, codes and frames. */
export function redactError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, constraint_name: constraint } = error as { code?: unknown; constraint_name?: unknown }
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    frames: framesOf(error),
    ...(error.cause === undefined ? {} : { cause: redactError(error.cause) })
  }
}

/** The first stack frames above a function that calls this one, outside of the logger's own package. */
export function callSite(below: (...args: never[]) => unknown): string[] {
  const at = new Error('call site')
  Error.captureStackTrace(at, below)
  return framesOf(at)
    .filter((frame) => !frame.includes('/pino/'))
    .slice(0, 2)
}

function framesOf(error: Error): string[] {
  const stack = error.stack ?? ''
  const end = stack.indexOf(error.message)
  // A stack that does not begin with its message cannot be cut safely.
  if (end < 0) return []
  return stack
    .slice(end + error.message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8)
}
