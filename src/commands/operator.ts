import type { Writable } from 'node:stream'
import { operate } from '../operator/operate.js'

const printTo = (stream: Writable) => (line: string) => {
  stream.write(`${line}\n`)
}

/**
 * Runs a command of operators and returns its exit code. A signal ends it at once with code 1, and
 * PostgreSQL rolls back uncommitted changes.
 */
export async function runOperator(signal: AbortSignal, args: readonly string[]): Promise<number> {
  const exit = () => process.exit(1)
  signal.addEventListener('abort', exit)
  const [print, printError] = [printTo(process.stdout), printTo(process.stderr)]
  const findEmbedded = async (dataDir: string) =>
    (await import('../embedded-postgres/index.js')).findEmbeddedPostgres(dataDir)
  const code = await operate(args, { input: process.stdin, findEmbedded, print, printError })
  signal.removeEventListener('abort', exit)
  return code
}
