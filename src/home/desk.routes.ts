import type { FastifyInstance } from 'fastify'
import { serveAppPage } from '../platform/page/app-page.js'
import { etags } from '../platform/rest/etag.js'

/** The order desk, `/desk/`. */
export async function deskRoutes(app: FastifyInstance): Promise<void> {
  await app.register(etags)
  serveAppPage(app, { url: '/desk/', script: 'desk' })
}
