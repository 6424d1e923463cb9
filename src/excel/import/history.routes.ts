import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HistoryEntry } from '../../catalogue/history/history.schemas.js'
import {
  type HistoryFilters,
  type HistoryKey,
  historyFilters,
  listHistory,
  viewHistoryEntry
} from '../../catalogue/history/import-history.js'
import { undoImport } from '../../catalogue/history/undo-import.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { type ResourceName, routeDoc } from '../../platform/rest/route-config.js'
import { toCreatedIds } from '../../platform/rest/run-once.js'
import { ById, NoQuery } from '../../platform/schemas/schemas.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import type { ResourceType } from '../../platform/urls/resource-urls.js'
import { runWorkbookWork } from '../problems.js'
import { importUpdate } from './import.access.js'

const importResource: ResourceType = { api: 'ssl-catalogue-excel', path: 'import' }

const name: ResourceName = {
  type: 'Import',
  noun: 'import',
  description: 'History of the imports of catalogues, and their undo.',
  resource: importResource
}

const undoDocs = {
  description:
    'Only the last import of a catalogue can be undone, for 30 days, and while neither the catalogue nor an item of it has changed since. Created items become unavailable and lose their identifiers; a created catalogue becomes INACTIVE; everything else returns to its state before the import. Orders keep their lines. Only the organization of an import of annotations or white list entries can undo it. The response is the entry of the undo in the history.',
  errors: ['import-not-undoable', 'catalogue-changed', 'too-many-workbooks']
}

/** The history of imports, and the undo of the last import. */
export const historyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  listRoute<HistoryFilters, HistoryKey, typeof HistoryEntry>(app, name, {
    path: 'imports',
    access: importUpdate,
    docs: {
      description:
        'Newest first: imports that changed something, and undos, of catalogues into which the caller may import.'
    },
    filters: historyFilters,
    response: HistoryEntry,
    run: (call, filters, page) => listHistory(app, call, filters, page)
  })

  app.post(
    '/import/:id/undo',
    {
      config: {
        access: importUpdate,
        doc: routeDoc(name.description, 'Undoes an import, all or nothing.', undoDocs)
      },
      schema: {
        operationId: 'undoImport',
        summary: 'Undo the last import of a catalogue',
        tags: [name.type],
        params: ById,
        querystring: NoQuery,
        response: { 200: HistoryEntry }
      }
    },
    untilDeadline(async (request) => {
      const { id } = request.params
      const undone = await runWorkbookWork(request, () =>
        app.runOnce(request, {
          run: (call) => undoImport(app, call, id),
          toResult: toCreatedIds,
          repeat: async (_actor, { ids: [made = ''] }) => made
        })
      )
      return viewHistoryEntry(app, request.state.call, undone)
    })
  )
}
