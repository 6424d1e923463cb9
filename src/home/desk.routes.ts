import type { FastifyInstance } from 'fastify'
import { serveAppPage } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'

/** The order desk, `/desk/`. Its script reads the `meta` elements. */
export async function deskRoutes(
  app: FastifyInstance,
  { meta }: { meta: Readonly<Record<string, string>> }
): Promise<void> {
  app.addHook('onSend', tagResponse)
  serveAppPage(app, { url: '/desk/', script: 'desk', meta })
}
