import { traceOf } from './error-trace.js'

/**
 * Writes process warnings to standard error without their texts, which may hold what a request asked for: Node's own printing, with
 * the text, is switched off.
 */
export function withholdWarnings(): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    process.stderr.write(`${JSON.stringify({ warning: traceOf(warning) })}\n`)
  })
}
