import { NoResponseError, ProblemError, SslClient } from '../clients/typescript/src/index.js'

const { PORT = '3000', ORIGIN = `http://127.0.0.1:${PORT}`, TOKEN } = process.env

/** Ends the program with a sentence that says what to do. */
export function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

/** Says what to do about an error. Undefined for a defect of the program. */
export function adviceOn(error: unknown): string | undefined {
  if (error instanceof NoResponseError)
    return `No server responds at ${ORIGIN}. Start one with npm start, or set ORIGIN to another server.`
  return error instanceof ProblemError ? error.message : undefined
}

process.on('uncaughtException', (error) => {
  const advice = adviceOn(error)
  if (advice === undefined) throw error
  fail(advice)
})

if (!TOKEN) fail('Set TOKEN to a token, as docs/api/applications.md shows.')

/** The client of the APIs, as the user of the token in the environment. */
export const { catalogue, order } = new SslClient({ origin: ORIGIN, token: TOKEN })
