import { parseArgs } from 'node:util'
import { ProblemError } from '../clients/typescript/src/index.js'
import { loadConfig } from '../fastify.config.js'
import { eventTypes } from '../src/ledger/event-types.js'
import { type UserType, userTypes } from '../src/platform/auth/caller.js'
import { unsignedToken } from '../src/platform/auth/tokens/unsigned-token.js'

/*
 * Runs `examples/receiver.ts` beside a server in `devtest`: prints the events of a user until it is
 * stopped.
 */

const usage = `npm run listen [-- --url <URL>] [--port <port>] [--as <user type>] [--organization <URL>] [--types <a,b>]

Subscribes to the events of a user and prints them, until it is stopped. The server runs in devtest.
  --url           URL of the server; default: PUBLIC_URL, else http://HOST:PORT, with the defaults of the server
  --port          port of this computer to which the server sends events; default: 8080
  --as            ${userTypes.join(', ')}; default: MonitoringResponsible
  --organization  URL of the clinical Organization of the user
  --types         comma-separated types of events; default: all`

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string', default: loadConfig().publicUrl },
        port: { type: 'string', default: '8080' },
        as: { type: 'string', default: 'MonitoringResponsible' },
        organization: { type: 'string', default: 'https://fhir.example/Organization/aarhus-kommune' },
        types: { type: 'string', default: Object.values(eventTypes).flat().join() },
        help: { type: 'boolean', default: false }
      }
    })
    if (!values.help) return values
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    process.exit(2)
  }
}

const values = parseOptions()
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
