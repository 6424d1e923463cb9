import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessRule } from '../platform/access.js'
import { docOf } from '../platform/resource-routes.js'
import { ById } from '../platform/schemas.js'
import { answerOf, faultyWorkbook, sendMarked, wantsWorkbook } from './import.answer.js'
import { importWorkbook } from './import.js'
import { languageOf } from './language.js'
import { excelProblems, problemOfRefusal } from './problems.js'
import { ImportAnswer, ImportQuery, WorkbookFile, WorkbookQuery } from './schemas.js'
import { uploadedFile } from './upload.js'
import { createWorkbooks } from './workbook/workbook.js'
import { exportedWorkbook, templateWorkbook } from './workbooks.js'
import { xlsx } from './write-workbook.js'

const write = { AdministrativeClerk: 'any', Provider: 'own-seller' } as const
const create: AccessRule = { permission: 'Catalogue.create', also: ['CatalogueItem.create'], scopes: write }
const update: AccessRule = {
  permission: 'Catalogue.update',
  also: ['CatalogueItem.create', 'CatalogueItem.update'],
  scopes: write
}
const read: AccessRule = {
  permission: 'Catalogue.read',
  also: ['CatalogueItem.read'],
  scopes: { ...write, MonitoringResponsible: 'any' }
}

const tag = 'Catalogues as Excel workbooks: a template, import and export.'
const upload = 'The workbook, .xlsx, as the template or an export has it.'

const refusals = Object.keys(excelProblems)
const importRemarks = (about: string) => ({
  about: `${about} All or nothing. Faults are answered all at once, as JSON or, to who accepts \`${xlsx}\`, as the same workbook with the faulty cells marked.`,
  refusals: [...refusals, 'terminology-unavailable']
})

/** A catalogue as a workbook: its template, its import, and its export. */
export const excelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { limits } = app
  const workbooks = createWorkbooks({ fileBytes: limits.upload, unpackedBytes: limits.unpacked })
  await app.register(multipart, {
    limits: { files: 2, fields: 1, parts: 3, fileSize: limits.upload, headerPairs: 20 }
  })
  // A form is larger than the file in it.
  const bodyLimit = limits.upload + 16_384

  app.get(
    '/template',
    {
      config: {
        access: read,
        doc: docOf(tag, 'Answers an empty workbook with drop-down lists, comments and an example.', {})
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
        doc: docOf(tag, 'Answers the catalogue as a workbook, which can be changed and imported again.', {})
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
    async (request, reply) =>
      sendWorkbook(
        reply,
        'catalogue',
        await exportedWorkbook(app, request.actor, request.params.id, languageOf(request))
      )
  )

  app.post(
    '/catalogue',
    {
      config: {
        access: create,
        doc: { ...docOf(tag, 'Makes a new catalogue out of a workbook.', importRemarks('')), upload }
      },
      bodyLimit,
      schema: {
        operationId: 'importCatalogue',
        summary: 'Make a catalogue out of a workbook',
        tags: ['Workbook'],
        produces: ['application/json', xlsx],
        querystring: ImportQuery,
        response: { 200: ImportAnswer, 201: ImportAnswer }
      }
    },
    (request, reply) => run(request, reply, undefined)
  )

  app.put(
    '/catalogue/:id',
    {
      config: {
        access: update,
        doc: {
          ...docOf(
            tag,
            'Brings a catalogue up to date: items are found by their identifiers; new ones are added, changed ones changed, the others left.',
            importRemarks('')
          ),
          upload
        }
      },
      bodyLimit,
      schema: {
        operationId: 'updateCatalogue',
        summary: 'Bring a catalogue up to date from a workbook',
        tags: ['Workbook'],
        produces: ['application/json', xlsx],
        params: ById,
        querystring: ImportQuery,
        response: { 200: ImportAnswer }
      }
    },
    (request, reply) => run(request, reply, request.params.id)
  )

  async function run(request: FastifyRequest, reply: FastifyReply, id: string | undefined) {
    const { dryRun: isRehearsal = false } = request.query as { dryRun?: boolean }
    const wishes = { id, isRehearsal }
    const file = await uploadedFile(request, limits.upload)
    const workbook = await workbooks.read(file).catch((error) => {
      throw problemOfRefusal(error)
    })
    const outcome = await importWorkbook(app, request.actor, workbook, wishes)
    if ('faults' in outcome) {
      if (wantsWorkbook(request)) return sendMarked(reply, workbooks, file, outcome.faults, workbook.sheets)
      throw faultyWorkbook(outcome.faults)
    }
    const answer = answerOf(app.references, outcome, wishes)
    if (id !== undefined || answer.catalogue === null) return answer
    return reply.code(201).header('location', answer.catalogue).send(answer)
  }
}

function sendWorkbook(reply: FastifyReply, name: string, workbook: NodeJS.ReadableStream) {
  return reply
    .type(xlsx)
    .header('content-disposition', `attachment; filename="${name}.xlsx"`)
    .header('vary', 'accept-language')
    .send(workbook)
}
