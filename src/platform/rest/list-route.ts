import { type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from '../auth/access-rule.js'
import type { AuditSubject } from '../auth/audit-context.js'
import type { AuditRule, UrlParams } from '../auth/audit-rule.js'
import type { Call } from '../auth/call.js'
import { parseAll, queryProblem } from '../errors/query-problem.js'
import { platformTexts } from '../errors/texts.js'
import { addVary } from '../headers/negotiation.js'
import { untilDeadline } from '../server/until-deadline.js'
import type { ResourceUrls } from '../urls/resource-urls.js'
import { CSV_MEDIA_TYPE, csvTable, prefersCsv } from './csv.js'
import type { Cursors } from './cursors.js'
import { expandedListSchema } from './expand.js'
import type { Page, PageRequest } from './pagination.js'
import { type App, type ResourceName, type RouteDocs, routeConfig, withArticle } from './route-config.js'
import { filtersOf, jsonBodyOf, pageQuery, sendPage } from './send-page.js'

interface ListPorts {
  resourceUrls: ResourceUrls
  cursors: Cursors
  limits: { page: number; pageBytes: number }
}

/** Finds the patients and orders in the filters of a list or a cursor. */
export interface ListAudit<F> {
  subjects: (filters: Partial<F>) => readonly AuditSubject[]
  /** See {@link AuditRule.lookUp}. */
  lookUp?: (filters: Partial<F>) => Promise<readonly AuditSubject[]>
}

interface ListFilters<F> {
  schemas?: Record<string, TSchema>
  /** @throws Problem `invalid-query`. */
  parse?(ports: App, given: F): unknown
}

/** A list that is also available as CSV, with `Accept: text/csv`. */
interface CsvList<F, K> {
  columns: readonly string[]
  run: (call: Call, filters: F, page: PageRequest<K>) => Promise<Page<K>>
}

/**
 * `GET /<resources>`: a page of the list as a plain array. A `Link` header names the next page.
 * @param singular whether `GET /<resource>` serves the list as well, undocumented.
 * @param required filters that are required without a cursor.
 */
export function listRoute<F extends object, K, A extends TSchema>(
  app: App & ListPorts,
  name: ResourceName,
  {
    path,
    singular = false,
    access,
    audit,
    docs,
    filters: { schemas = {}, parse = () => {} },
    required = [],
    response,
    run,
    csv
  }: {
    path: string
    singular?: boolean
    access: AccessRule
    audit?: ListAudit<F>
    docs?: RouteDocs
    filters: ListFilters<F>
    required?: readonly (keyof F & string)[]
    response: A
    run: (call: Call, filters: F, page: PageRequest<K>) => Promise<Page<K>>
    csv?: CsvList<F, K>
  }
): void {
  const { type, noun, resource } = name
  const { resourceUrls, cursors, limits } = app
  const address = {
    cursors,
    url: `${resourceUrls.base(resource.api)}/${path}`,
    limit: limits.page,
    bytes: limits.pageBytes
  }
  const responses: Record<number, TSchema> = {
    200: Type.Array(response, {
      description: `A page of the list, each entry ${withArticle(noun)}.`,
      ...('expand' in schemas && { 'x-with-parameter': { expand: expandedListSchema(name, response) } })
    })
  }
  const common = `Lists, page by page, each ${noun} that the caller can access. A page has at most \`limit\` entries and ${limits.pageBytes} bytes; the \`Link\` with \`rel="next"\` leads to the next page.`
  const checkQuery = (query: object, invalid: readonly string[] = []) => {
    const { limit, after, ...given } = query as ListQuery<F>
    if (after !== undefined) return
    const absent = required.filter((name) => !(name in given || invalid.includes(name)))
    parseAll(...absent.map(requireParameter), () => parse(app, given as F))
  }
  const rule = { access, docs, audit: audit && auditRuleOf(audit, cursors) }
  const config = { ...routeConfig(name, common, rule), checkQuery }
  const produces = csv && { produces: ['application/json', CSV_MEDIA_TYPE] }
  const querystring = Type.Object({ ...schemas, ...pageQuery(limits.page) }, { additionalProperties: false })

  const routes = [
    { url: `/${path}`, operationId: `list${type}`, summary: `List ${path.replaceAll('-', ' ')}`, hide: false }
  ]
  if (singular)
    routes.push({
      url: `/${resource.path}`,
      operationId: `list${type}Singular`,
      summary: `List ${path.replaceAll('-', ' ')}, as at /${path}`,
      hide: true
    })

  for (const { url, operationId, summary, hide } of routes)
    app.get(
      url,
      {
        config,
        schema: { operationId, summary, hide, tags: [type], ...produces, querystring, response: responses }
      },
      untilDeadline((request, reply) => {
        const query = request.query as ListQuery<F>
        if (required.some((name) => query[name] === undefined)) checkQuery(query)
        const { call } = request.state
        if (csv) addVary(reply, 'Accept')
        if (!csv || !prefersCsv(request)) {
          reply.type('application/json; charset=utf-8')
          return sendPage(
            reply,
            address,
            query,
            (active, page: PageRequest<K>) => run(call, active, page),
            jsonBodyOf
          )
        }
        const rows = (active: F, page: PageRequest<K>) => csv.run(call, active, page)
        reply.type(`${CSV_MEDIA_TYPE}; charset=utf-8; header=present`)
        return sendPage(reply, address, query, rows, ({ entries }) => csvTable(csv.columns, entries), true)
      })
    )
}

type ListQuery<F> = F & { limit?: number; after?: string }

const requireParameter = (name: string) => () => {
  throw queryProblem(name, platformTexts.requiredParameter, 'required')
}

function auditRuleOf<F extends object>({ subjects, lookUp }: ListAudit<F>, cursors: Cursors): AuditRule {
  const filters = ({ query }: UrlParams) => filtersOf<F>(cursors, query)
  return {
    url: (params) => subjects(filters(params)),
    ...(lookUp && { lookUp: (params) => lookUp(filters(params)) })
  }
}
