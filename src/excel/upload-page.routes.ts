import type { FastifyPluginAsync } from 'fastify'
import { catalogueResource } from '../catalogue/resources.js'
import { serveAppPage } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'
import type { Ports } from '../ports.js'

/** The settings of the upload of workbooks on a page, as `meta` elements. */
export const uploadMeta = ({ limits, resourceUrls }: Pick<Ports, 'limits' | 'resourceUrls'>) => ({
  'upload-limit': String(limits.workbook.fileBytes),
  'catalogue-url': resourceUrls.url(catalogueResource, '')
})

/** The upload page. Applications of the web origins may open and frame the page. */
export const uploadPageRoutes: FastifyPluginAsync = async (app) => {
  const { webOrigins } = app
  app.addHook('onSend', tagResponse)
  serveAppPage(app, {
    url: '/upload',
    script: 'upload',
    applications: webOrigins,
    meta: {
      ...uploadMeta(app),
      'token-origins': webOrigins.join(' '),
      'user-types': 'Provider AdministrativeClerk'
    }
  })
}
