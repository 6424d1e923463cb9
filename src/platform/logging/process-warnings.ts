import { redactError } from '../errors/redact-error.js'

/**
 * Writes process warnings to standard error without their texts, which may hold what a request asked for: Node's own printing, with
 * the text, is switched off.
 */
export function suppressProcessWarnings(): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    process.stderr.write(`${JSON.stringify({ warning: redactError(warning) })}\n`)
  })
}
