import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import { noAuditSubjects } from '../../platform/auth/audit-rule.js'
import { slotOwnerOf } from '../../platform/auth/caller.js'
import { addVary } from '../../platform/headers/negotiation.js'
import { CSV_MEDIA_TYPE, csvRow, csvTable, prefersCsv } from '../../platform/rest/csv.js'
import { routeDoc } from '../../platform/rest/route-config.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import { countOrdersByGroup } from '../statistics/statistics.js'
import {
  figureMembers,
  OrderStatistics,
  StatisticsQuery,
  statisticsKeys
} from '../statistics/statistics.schemas.js'

/** Clerks see figures, but no orders. */
const access: AccessRule = {
  permission: 'OrderStatistics.read',
  scopes: {
    AdministrativeClerk: 'administered',
    MonitoringResponsible: 'administered',
    Provider: 'own-seller'
  },
  patientData: true
}

const columns = [...statisticsKeys, ...Object.keys(figureMembers)] as (keyof OrderStatistics)[]

/** `GET /order-statistics`: figures of orders, under the slots of heavy work. */
export const orderStatisticsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const response: Record<number, TSchema> = {
    200: Type.Array(OrderStatistics, { description: 'A row for each group, sorted by its keys.' })
  }
  app.get(
    '/order-statistics',
    {
      config: {
        access,
        audit: noAuditSubjects,
        doc: routeDoc(
          'Figures of orders.',
          'Counts the submitted orders of a period by group: of the buyers that the caller’s organization is or administers, and for Provider of its sellers. Grouped by item or action, an order counts in each group of its lines.',
          {
            description:
              'AdministrativeClerk gets no figures about fewer than 5 patients. Each month is divided by buyer, seller, action and item, in this order and as far as the query names them. Parts about fewer than 5 patients are merged, if necessary with the smallest other part, and counted in one row without keys. All rows are sums of these parts, so that no difference of rows is about fewer patients. A month about fewer than 5 patients is left out, and a filter leaves out the row without keys. `Accept: text/csv` gets a table for spreadsheets.',
            errors: ['too-many-rows']
          }
        )
      },
      schema: {
        operationId: 'listOrderStatistics',
        summary: 'Count orders by group',
        tags: ['OrderStatistics'],
        produces: ['application/json', CSV_MEDIA_TYPE],
        querystring: StatisticsQuery,
        response
      }
    },
    untilDeadline(async (request, reply) => {
      const { call, deadline } = request.state
      addVary(reply, 'Accept')
      const rows = await app.slots.heavyWork.run(
        slotOwnerOf(call.caller),
        () => countOrdersByGroup(app, call, request.query as StatisticsQuery),
        deadline
      )
      if (!prefersCsv(request)) return rows
      reply.type(`${CSV_MEDIA_TYPE}; charset=utf-8; header=present`)
      const cellsOf = (row: OrderStatistics) => columns.map((column) => row[column]?.toString())
      return csvTable(
        columns,
        rows.map((row) => csvRow(cellsOf(row)))
      )
    })
  )
}
