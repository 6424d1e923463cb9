import type { FastifyPluginAsync } from 'fastify'
import { catalogueResource } from '../catalogue/resources.js'
import { serveAppPage } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'

/** The upload page. Applications of the web origins may open and frame it. */
export const uploadPageRoutes: FastifyPluginAsync = async (app) => {
  const { webOrigins, limits, resourceUrls } = app
  app.addHook('onSend', tagResponse)
  serveAppPage(app, {
    url: '/upload',
    script: 'upload',
    applications: webOrigins,
    meta: {
      'token-origins': webOrigins.join(' '),
      'upload-limit': String(limits.workbook.fileBytes),
      'catalogue-url': resourceUrls.url(catalogueResource, '')
    }
  })
}
