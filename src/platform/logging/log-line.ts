import type { FastifyBaseLogger } from 'fastify'
import { callSite, redactError } from '../errors/redact-error.js'

/** Logger for events outside requests. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>

/** A log line: a fixed text and fields without patient data. */
class LogLine {
  constructor(
    readonly text: string,
    readonly fields: Readonly<Record<string, unknown>>
  ) {}

  toString(): string {
    return this.text
  }
}

/**
 * Makes a log line of a fixed text and fields: `logLine('request completed', { status })`. Fields
 * are codes, counts, ids and route templates; errors by `redactError`.
 */
export const logLine = (text: string, fields: Readonly<Record<string, unknown>> = {}): LogLine =>
  new LogLine(text, fields)

/**
 * Pino's `logMethod` hook. Lines of libraries may contain URLs, headers or bodies, so a neutral
 * line with the call site replaces them.
 */
export function logMethod(this: unknown, args: readonly unknown[], write: (...args: never[]) => void): void {
  const [first] = args
  const line = first instanceof LogLine ? first : foreignLine(first)
  write.apply(this, [line.fields, line.text] as never[])
}

function foreignLine(first: unknown): LogLine {
  const error = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err
  return logLine('Log line of a library, text withheld', {
    from: callSite(logMethod),
    ...(error instanceof Error ? { cause: redactError(error) } : {})
  })
}
