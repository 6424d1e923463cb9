import type { FastifyInstance } from 'fastify'
import { serveAppPage } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'

/** The order desk, `/desk/`. */
export async function deskRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', tagResponse)
  serveAppPage(app, { url: '/desk/', script: 'desk' })
}
