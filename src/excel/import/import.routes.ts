import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import type { Call } from '../../platform/auth/call.js'
import { addVary, requestLanguage } from '../../platform/headers/negotiation.js'
import { conditionalCall } from '../../platform/rest/etag.js'
import { routeDoc } from '../../platform/rest/route-config.js'
import { ById } from '../../platform/schemas/schemas.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import { runWorkbookWork } from '../problems.js'
import { ImportQuery, ImportResult, UpdateQuery, workbookTag } from '../schemas.js'
import { XLSX_MEDIA_TYPE } from '../sheets/writing/write-workbook.js'
import { excelProblems } from '../texts.js'
import { importRead, importScopes, importUpdate } from './import.access.js'
import { faultyWorkbookProblem, respondWithMarked, wantsWorkbook } from './import-response.js'
import { importOnce, importWorkbook } from './import-workbook.js'
import { uploadedFile } from './uploaded-file.js'

const create: AccessRule = {
  permission: 'Catalogue.create',
  also: ['CatalogueItem.create'],
  scopes: importScopes
}

const upload = 'The workbook, .xlsx, laid out like the template or an export.'
const common = `All or nothing. All faults are reported at once: as JSON, or, if the client accepts \`${XLSX_MEDIA_TYPE}\`, as a copy of the workbook with the faulty cells marked and all faults listed on the first sheet.`
const errors = [...Object.keys(excelProblems), 'terminology-unavailable']
const createDocs = { description: common, errors: [...errors, 'catalogue-exists'] }
const updateDocs = { description: common, errors: [...errors, 'other-catalogue'] }

/** Imports: create or update a catalogue from an uploaded workbook. */
export const importRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { limits, workbooks } = app
  await app.register(multipart, {
    limits: {
      ...{ files: 2, fields: 1, parts: 3, headerPairs: 20 },
      // A field is always an error, so its value is discarded.
      ...{ fieldSize: 1, fileSize: limits.workbook.fileBytes }
    }
  })
  // Any other body reaches the handler unread. The handler says how to send the file.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Bytes for the multipart envelope.
  const bodyLimit = limits.workbook.fileBytes + 16_384

  app.post(
    '/catalogue',
    {
      config: {
        access: create,
        doc: {
          ...routeDoc(
            workbookTag,
            'Creates a catalogue from a workbook. An identifier of another catalogue of the seller is rejected.',
            createDocs
          ),
          upload
        }
      },
      bodyLimit,
      schema: {
        operationId: 'importCatalogue',
        summary: 'Create a catalogue from a workbook',
        tags: ['Workbook'],
        produces: ['application/json', XLSX_MEDIA_TYPE],
        querystring: ImportQuery,
        response: { 200: ImportResult, 201: ImportResult } as Record<number, TSchema>
      }
    },
    untilDeadline((request, reply) => run(request, reply, undefined))
  )

  app.put(
    '/catalogue/:id',
    {
      config: {
        access: importUpdate,
        doc: {
          ...routeDoc(
            workbookTag,
            'Updates a catalogue. Items are matched by their identifiers: new items are added, changed items updated, and other items kept. A new name or identifier that another catalogue of the seller has must be confirmed. A dry run responds with an `ETag`. Sent as `If-Match`, the tag limits the import to the checked catalogue.',
            updateDocs
          ),
          upload,
          isConditional: true
        }
      },
      bodyLimit,
      schema: {
        operationId: 'updateCatalogue',
        summary: 'Update a catalogue from a workbook',
        tags: ['Workbook'],
        produces: ['application/json', XLSX_MEDIA_TYPE],
        params: ById,
        querystring: UpdateQuery,
        response: { 200: ImportResult } as Record<number, TSchema>
      }
    },
    untilDeadline((request, reply) => run(request, reply, request.params.id))
  )

  async function run(request: FastifyRequest, reply: FastifyReply, id: string | undefined): Promise<unknown> {
    const { dryRun = false, confirm = false } = request.query as { dryRun?: boolean; confirm?: boolean }
    const { bytes: file, name: fileName } = await uploadedFile(request, limits.workbook.fileBytes)
    const options = { id, dryRun, isConfirmed: confirm, language: requestLanguage(request), fileName }
    const { ifMatch } = conditionalCall(request)
    const runNow = async (call: Call) =>
      importWorkbook(app, { ...call, ifMatch }, await workbooks.read(file), options)
    return runWorkbookWork(request, async () => {
      const outcome = await importOnce(app, importRead, request, file, runNow)
      if ('faults' in outcome) {
        const { faults } = outcome
        if (wantsWorkbook(request)) return respondWithMarked(reply, workbooks, file, faults, options.language)
        throw faultyWorkbookProblem(faults, options.language)
      }
      const { result, revision } = outcome
      addVary(reply, 'Accept-Language')
      if (dryRun && revision) reply.header('etag', `"${revision}"`)
      if (id !== undefined || result.catalogue === null) return result
      reply.code(201).header('location', result.catalogue)
      return result
    })
  }
}
