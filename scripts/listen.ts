import { parseArgs } from 'node:util'
import { ProblemError } from '../clients/typescript/src/index.js'
import { loadConfig } from '../fastify.config.js'
import { eventTypes } from '../src/ledger/event-types.js'
import type { UserType } from '../src/platform/auth/caller.js'
import { unsignedToken } from '../src/platform/auth/tokens/unsigned-token.js'

/*
 * Runs `examples/receiver.ts` beside a server in `devtest`: prints the events of a user until it is
 * stopped.
 */

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: loadConfig().publicUrl },
    port: { type: 'string', default: '8080' },
    as: { type: 'string', default: 'MonitoringResponsible' },
    organization: { type: 'string', default: 'https://fhir.example/Organization/aarhus-kommune' },
    types: { type: 'string', default: Object.values(eventTypes).flat().join() }
  }
})
const user = { userType: values.as as UserType, organization: values.organization }
const { TOKEN = unsignedToken(user) } = process.env
Object.assign(process.env, { ORIGIN: values.url, PORT: values.port, TYPES: values.types, TOKEN })

try {
  await import('../examples/receiver.js')
} catch (error) {
  const { message } = error as Error
  const isRefused = error instanceof ProblemError && error.code === 'target-not-allowed'
  const hint = isRefused ? `Start the server with EVENT_TARGETS=http://127.0.0.1:${values.port}\n` : ''
  process.stderr.write(`${message}\n${hint}`)
  process.exit(1)
}
