import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { AccessRule } from '../platform/auth/access.js'
import { routeDoc } from '../platform/rest/resource-routes.js'
import { ById } from '../platform/schemas/schemas.js'
import { queueSignal } from '../platform/server/bulkhead.js'
import { problemOfRefusal } from './problems.js'
import { tag, WorkbookFile, WorkbookQuery } from './schemas.js'
import { languageOf } from './sheets/language.js'
import { xlsx } from './sheets/write-workbook.js'
import { exportedWorkbook, templateWorkbook } from './workbooks.js'

const read: AccessRule = {
  permission: 'Catalogue.read',
  also: ['CatalogueItem.read'],
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'own-seller' }
}

/** Workbooks that are answered: the template, and a catalogue as it is. */
export const workbookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/template',
    {
      config: {
        access: read,
        doc: routeDoc(tag, 'Answers an empty workbook with drop-down lists, comments and an example.', {})
      },
      schema: {
        operationId: 'getTemplate',
        summary: 'An empty workbook to fill in',
        tags: ['Workbook'],
        produces: [xlsx],
        querystring: WorkbookQuery,
        response: { 200: WorkbookFile }
      }
    },
    async (request, reply) =>
      sendWorkbook(reply, 'template', await templateWorkbook(app, request.actor, languageOf(request)))
  )

  app.get(
    '/catalogue/:id',
    {
      config: {
        access: read,
        doc: routeDoc(tag, 'Answers the catalogue as a workbook, which can be changed and imported again.', {
          errors: ['too-many-workbooks']
        })
      },
      schema: {
        operationId: 'exportCatalogue',
        summary: 'A catalogue as a workbook',
        tags: ['Workbook'],
        produces: [xlsx],
        params: ById,
        querystring: WorkbookQuery,
        response: { 200: WorkbookFile }
      }
    },
    async (request, reply) => {
      const { actor, deadline, params } = request
      const workbook = await app.bulkhead
        .run(queueSignal(deadline), () => exportedWorkbook(app, actor, params.id, languageOf(request)))
        .catch((error) => {
          throw problemOfRefusal(error)
        })
      return sendWorkbook(reply, 'catalogue', workbook)
    }
  )
}

function sendWorkbook(reply: FastifyReply, name: string, workbook: Buffer | NodeJS.ReadableStream) {
  return reply
    .type(xlsx)
    .header('content-disposition', `attachment; filename="${name}.xlsx"`)
    .header('vary', 'accept-language')
    .send(workbook)
}
