import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessRule } from '../platform/auth/access-rule.js'
import { addVary, requestLanguage } from '../platform/headers/negotiation.js'
import { routeDoc } from '../platform/rest/route-config.js'
import { ById } from '../platform/schemas/schemas.js'
import { untilDeadline } from '../platform/server/until-deadline.js'
import { runWorkbookWork } from './problems.js'
import { WorkbookFile, WorkbookQuery, workbookTag } from './schemas.js'
import { XLSX_MEDIA_TYPE } from './sheets/writing/write-workbook.js'
import { excelTexts } from './texts.js'
import { createTemplate, exportWorkbook } from './workbooks.js'

const read: AccessRule = {
  permission: 'Catalogue.read',
  also: ['CatalogueItem.read'],
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'own-seller' }
}

/** Downloads: the template, and a catalogue as a workbook. */
export const workbookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/template',
    {
      config: {
        access: read,
        doc: routeDoc(
          workbookTag,
          'Returns an empty workbook with drop-down lists, comments and an example.',
          {}
        )
      },
      schema: {
        operationId: 'getTemplate',
        summary: 'An empty workbook to fill in',
        tags: ['Workbook'],
        produces: [XLSX_MEDIA_TYPE],
        querystring: WorkbookQuery,
        response: { 200: WorkbookFile }
      }
    },
    untilDeadline(async (request, reply) =>
      sendWorkbook(request, reply, await createTemplate(app, request.state.call, requestLanguage(request)))
    )
  )

  app.get(
    '/catalogue/:id',
    {
      config: {
        access: read,
        doc: routeDoc(
          workbookTag,
          'Returns the catalogue as a workbook that can be edited and imported again.',
          {
            errors: ['too-many-workbooks']
          }
        )
      },
      schema: {
        operationId: 'exportCatalogue',
        summary: 'A catalogue as a workbook',
        tags: ['Workbook'],
        produces: [XLSX_MEDIA_TYPE],
        params: ById,
        querystring: WorkbookQuery,
        response: { 200: WorkbookFile }
      }
    },
    untilDeadline(async (request, reply) => {
      const workbook = await runWorkbookWork(request, () =>
        exportWorkbook(app, request.state.call, request.params.id, requestLanguage(request))
      )
      return sendWorkbook(request, reply, workbook)
    })
  )
}

function sendWorkbook(
  request: FastifyRequest,
  reply: FastifyReply,
  workbook: Buffer | NodeJS.ReadableStream
) {
  addVary(reply, 'Accept-Language')
  reply
    .type(XLSX_MEDIA_TYPE)
    .header('content-disposition', `attachment; filename="${excelTexts.fileName[requestLanguage(request)]}"`)
  return workbook
}
