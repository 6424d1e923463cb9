import type { FastifyBaseLogger } from 'fastify'
import { callSite, redactError } from '../errors/redact-error.js'

/** Logger for events outside of requests. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>

/** A log line of this program: a fixed text and fields without patient data. Only such lines are written as they are. */
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
 * A line for the log: `log.info(logLine('answered', { status }))`.
 * @param text a fixed text, without anything of a request.
 * @param fields codes, counts, ids and route templates; errors as `traceOf` shows them.
 */
export const logLine = (text: string, fields: Readonly<Record<string, unknown>> = {}): LogLine =>
  new LogLine(text, fields)

/**
 * Pino's `logMethod` hook. Lines made by `logLine` pass. The texts and objects of libraries may hold addresses, headers or bodies
 * ("Reply was already sent … in the "/orders?patient=…" route"): a neutral line takes their place and says where they come from.
 */
export function logMethod(this: unknown, args: readonly unknown[], write: (...args: never[]) => void): void {
  const [first] = args
  const line = first instanceof LogLine ? first : foreignLine(first)
  write.apply(this, [line.fields, line.text] as never[])
}

function foreignLine(first: unknown): LogLine {
  const error = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err
  return logLine('A library wrote to the log; its text is withheld', {
    from: callSite(logMethod),
    ...(error instanceof Error ? { cause: redactError(error) } : {})
  })
}
