import Fastify, { type FastifyInstance } from 'fastify'
import { loadConfig } from '../fastify.config.js'
import { registerApis } from '../src/app.js'
import { asyncApiDocument } from '../src/asyncapi/asyncapi.routes.js'
import { createSlotTable } from '../src/platform/concurrency/slot-table.js'
import type { JsonRecord } from '../src/platform/json/swagger-schema.js'
import { validatorCompiler } from '../src/platform/json/validation.js'
import { checkRoutes } from '../src/platform/rest/route-config.js'
import { errorHandler } from '../src/platform/server/error-handler.js'
import { beginRequest } from '../src/platform/server/request-state.js'
import { createResourceUrls } from '../src/platform/urls/addressing.js'
import { createTerminology } from '../src/terminology/terminology.js'

export const documentedApis = ['ssl-catalogue', 'ssl-order', 'ssl-catalogue-excel'] as const
export type DocumentedApi = (typeof documentedApis)[number]

/** The documents that the server serves with its default settings. */
export interface ApiDocuments {
  openApi20: Readonly<Record<DocumentedApi, JsonRecord>>
  openApi31: Readonly<Record<DocumentedApi, JsonRecord>>
  asyncApi: ReturnType<typeof asyncApiDocument>
}

/** Makes the documents without a database: only the routes are registered. */
export async function makeApiDocuments(): Promise<ApiDocuments> {
  const app = await appWithRoutes()
  const read = async (name: string) => {
    const documents = documentedApis.map(async (api) => [
      api,
      (await app.inject(`/${api}/v1/${name}`)).json()
    ])
    return Object.fromEntries(await Promise.all(documents))
  }
  try {
    return {
      openApi20: await read('openapi.json'),
      openApi31: await read('openapi-3.1.json'),
      asyncApi: asyncApiDocument(app)
    }
  } finally {
    await app.close()
  }
}

async function appWithRoutes(): Promise<FastifyInstance> {
  const config = loadConfig({})
  const { publicUrl, addressing, referenceOrigins: origins, valueSets, platformPrefix, limits } = config
  const app = Fastify()
  app.decorate('resourceUrls', createResourceUrls({ publicUrl, addressing, origins }))
  app.decorate('terminology', createTerminology({ ...valueSets, platformPrefix }))
  app.decorate('limits', limits)
  app.decorate('slots', createSlotTable(limits.bulkConcurrency))
  app.decorate('webOrigins', config.corsOrigins)
  app.setValidatorCompiler(validatorCompiler)
  await app.register(errorHandler, { constraints: {}, origin: publicUrl })
  app.addHook('onRequest', beginRequest(app, { limits }))
  checkRoutes(app)
  await registerApis(app, config)
  return app
}
