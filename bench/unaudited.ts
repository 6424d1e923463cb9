import type { loadConfig } from '../fastify.config.js'
import type { buildApp } from '../src/app.js'

/*
 * The built product with an audit that records nothing, to tell what the record costs. The product itself knows no such setting.
 */

const built = (path: string) => import(new URL(`../dist/${path}`, import.meta.url).href)
const app: { buildApp: typeof buildApp } = await built('src/app.js')
const settings: { loadConfig: typeof loadConfig } = await built('fastify.config.js')

const config = settings.loadConfig()
const server = await app.buildApp(config, config.database.url ?? '')
Object.assign(server.audit, { record: async () => {}, rowOf: () => undefined })
await server.listen({ host: config.host, port: config.port })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void server.close())
