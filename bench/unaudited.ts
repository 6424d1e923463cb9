import { loadConfig } from '../fastify.config.js'
import { buildApp } from '../src/app.js'

/**
 * The product without audit records, to measure their cost. The product itself has no such setting.
 */

const config = loadConfig()
const server = await buildApp(config, config.database.url ?? '')
Object.assign(server.audit, { record: async () => {}, rowOf: () => undefined })
await server.listen({ host: config.host, port: config.port })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void server.close())
