import { redactError } from '../errors/redact-error.js'

/** Replaces Node's process warnings by lines without their text, which may contain request data. */
export function redactProcessWarnings(): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    process.stderr.write(`${JSON.stringify({ warning: redactError(warning) })}\n`)
  })
}
