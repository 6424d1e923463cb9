import { sourceFrame } from './source-frame.js'

/**
 * Reduces an error to its name, codes and stack frames for the log. Messages may contain SQL
 * parameters, and so patient data.
 */
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

/** The first two stack frames above a function, outside of the logger's package. */
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
  // A stack that does not contain the message cannot be cut safely.
  if (end < 0) return []
  return stack
    .slice(end + error.message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8)
    .map(sourceFrame)
}
