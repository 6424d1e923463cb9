import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessRule } from '../../platform/auth/access.js'
import { docOf } from '../../platform/rest/resource-routes.js'
import { ById, NoQuery } from '../../platform/schemas/schemas.js'
import { queueTime } from '../../platform/server/bulkhead.js'
import { createWorkbooks } from '../../xlsx/workbook.js'
import { excelProblems, problemOfRefusal } from '../problems.js'
import { ImportAnswer, ImportJob, ImportQuery, tag } from '../schemas.js'
import { languageOf } from '../sheets/language.js'
import { xlsx } from '../sheets/write-workbook.js'
import { faultyWorkbook, importResponse, sendMarked, wantsWorkbook } from './import-response.js'
import { type ImportRequest, importWorkbook } from './import-workbook.js'
import { createJobs } from './jobs.js'
import { uploadedFile } from './uploaded-file.js'
import { viewJob } from './view-job.js'

const write = { AdministrativeClerk: 'administered', Provider: 'own-seller' } as const
const create: AccessRule = { permission: 'Catalogue.create', also: ['CatalogueItem.create'], scopes: write }
const update: AccessRule = {
  permission: 'Catalogue.update',
  also: ['CatalogueItem.create', 'CatalogueItem.update'],
  scopes: write
}
const read: AccessRule = {
  permission: 'Catalogue.read',
  also: ['CatalogueItem.read'],
  scopes: { ...write, AdministrativeClerk: 'any' }
}

const upload = 'The workbook, .xlsx, as the template or an export has it.'
const common = `All or nothing. Faults are answered all at once, as JSON or, to who accepts \`${xlsx}\`, as a copy of the workbook with the faulty cells marked and all faults on a first sheet. With \`Prefer: respond-async\` it is answered at once where to ask how far it is.`
const remarks = { about: common, refusals: [...Object.keys(excelProblems), 'terminology-unavailable'] }

/** Milliseconds that an import may take which nobody waits for. */
const patience = 600_000

/** Workbooks that are sent: a catalogue is made of them, or brought up to date. */
export const importRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { limits, references } = app
  const workbooks = createWorkbooks({
    fileBytes: limits.upload,
    unpackedBytes: limits.unpacked,
    timeoutMs: limits.workbookTimeout
  })
  const jobs = createJobs(app, workbooks, app.bulkhead, app.log, patience)
  app.addHook('onClose', () => jobs.close())
  await app.register(multipart, {
    limits: { files: 2, fields: 1, parts: 3, fileSize: limits.upload, headerPairs: 20 }
  })
  // A form is larger than the file in it.
  const bodyLimit = limits.upload + 16_384

  app.post(
    '/catalogue',
    {
      config: {
        access: create,
        doc: { ...docOf(tag, 'Makes a new catalogue out of a workbook.', remarks), upload }
      },
      bodyLimit,
      schema: {
        operationId: 'importCatalogue',
        summary: 'Make a catalogue out of a workbook',
        tags: ['Workbook'],
        produces: ['application/json', xlsx],
        querystring: ImportQuery,
        response: { 200: ImportAnswer, 201: ImportAnswer, 202: ImportJob }
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
            remarks
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
        response: { 200: ImportAnswer, 202: ImportJob }
      }
    },
    (request, reply) => run(request, reply, request.params.id)
  )

  app.get(
    '/import/:id',
    {
      config: {
        access: read,
        doc: docOf(tag, 'Answers how far an import is, and at last what came of it; to who began it.', {})
      },
      schema: {
        operationId: 'getImport',
        summary: 'How far an import is',
        tags: ['Workbook'],
        params: ById,
        querystring: NoQuery,
        response: { 200: ImportJob }
      }
    },
    ({ actor, params: { id } }) => viewJob(app, actor, id)
  )

  async function run(request: FastifyRequest, reply: FastifyReply, id: string | undefined) {
    const { dryRun = false } = request.query as { dryRun?: boolean }
    const options = { id, dryRun }
    const file = await uploadedFile(request, limits.upload)
    if (prefersToAsk(request)) return begin(request, reply, file, options)
    return app.bulkhead
      .run(queueTime(request.deadline), () => wait(request, reply, file, options))
      .catch((error) => {
        throw problemOfRefusal(error)
      })
  }

  async function begin({ actor }: FastifyRequest, reply: FastifyReply, file: Buffer, options: ImportRequest) {
    const id = await jobs.begin(actor, file, options)
    return reply
      .code(202)
      .headers({
        location: `${references.base('ssl-catalogue-excel')}/import/${id}`,
        'preference-applied': 'respond-async'
      })
      .send(await viewJob(app, actor, id))
  }

  async function wait(request: FastifyRequest, reply: FastifyReply, file: Buffer, options: ImportRequest) {
    const outcome = await importWorkbook(app, request.actor, await workbooks.read(file), options)
    if ('faults' in outcome) {
      if (wantsWorkbook(request))
        return sendMarked(reply, workbooks, file, outcome.faults, languageOf(request))
      throw faultyWorkbook(outcome.faults)
    }
    const answer = importResponse(references, outcome.report, options)
    if (options.id !== undefined || answer.catalogue === null) return answer
    return reply.code(201).header('location', answer.catalogue).send(answer)
  }
}

/** RFC 7240. */
const prefersToAsk = ({ headers: { prefer } }: FastifyRequest) =>
  [prefer ?? []]
    .flat()
    .some((each) => each.split(',').some((one) => one.trim().toLowerCase() === 'respond-async'))
