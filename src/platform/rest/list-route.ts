import { type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from '../auth/access.js'
import type { Actor } from '../auth/actor.js'
import type { AuditSubject } from '../auth/audit-context.js'
import type { AuditRule, UrlParams } from '../auth/audit-rule.js'
import { problem } from '../errors/problem.js'
import { type Cursors, filtersOf, type Page, type PageRequest, pageQuery, sendPage } from './pagination.js'
import { type App, type ResourceName, type RouteDocs, routeDoc, withArticle } from './resource-routes.js'
import type { ResourceUrls } from './resource-urls.js'

/** What a list needs of the server: addresses and cursors. */
interface ListPorts {
  resourceUrls: ResourceUrls
  cursors: Cursors
  limits: { page: number; pageBytes: number }
}

/** Which patients and orders the filters of a list name, those of a cursor too. */
export interface ListAudit<F> {
  subjects: (filters: Partial<F>) => readonly AuditSubject[]
  /** See {@link AuditRule.lookUp}. */
  lookUp?: (filters: Partial<F>) => Promise<readonly AuditSubject[]>
}

/** A query parameter that is the URL of a resource. */
export const urlFilter = (description: string) => Type.Optional(Type.String({ maxLength: 4000, description }))

/**
 * `GET /<resources>`: a page of the list as a plain array, a further page announced in a `Link` header. Filters in `needs`
 * must be sent, unless a cursor brings them. With `singular` the list answers at `GET /<resource>` as well.
 */
export function listRoute<F extends object, K, A extends TSchema>(
  app: App & ListPorts,
  { type, noun, description, resource }: ResourceName,
  {
    path,
    singular = false,
    access,
    audit,
    docs = {},
    filters,
    needs = [],
    response,
    run
  }: {
    path: string
    singular?: boolean
    access: AccessRule
    audit?: ListAudit<F>
    docs?: RouteDocs
    filters: Record<string, TSchema>
    needs?: readonly (keyof F & string)[]
    response: A
    run: (actor: Actor, filters: F, page: PageRequest<K>) => Promise<Page<K>>
  }
): void {
  const { resourceUrls, cursors, limits } = app
  const address = {
    cursors,
    url: `${resourceUrls.base(resource.api)}/${path}`,
    limit: limits.page,
    bytes: limits.pageBytes
  }
  const responses: Record<number, TSchema> = {
    200: Type.Array(response, { description: `A page of the list, each entry ${withArticle(noun)}.` })
  }
  const common = `Answers, page by page, each ${noun} within the caller’s reach. A page has \`limit\` entries at most, and ends earlier where it would be larger than ${limits.pageBytes} bytes; the rest is at the \`Link\` with \`rel="next"\`.`
  const config = {
    access,
    ...(audit && { audit: ruleOf(audit, cursors) }),
    doc: routeDoc(description, common, docs)
  }
  const querystring = Type.Object({ ...filters, ...pageQuery(limits.page) }, { additionalProperties: false })

  const routes = [
    { url: `/${path}`, operationId: `list${type}`, summary: `List ${path.replaceAll('-', ' ')}` }
  ]
  if (singular)
    routes.push({
      url: `/${resource.path}`,
      operationId: `list${type}Singular`,
      summary: `List ${path.replaceAll('-', ' ')}, as at /${path}`
    })

  for (const { url, operationId, summary } of routes)
    app.get(
      url,
      { config, schema: { operationId, summary, tags: [type], querystring, response: responses } },
      (request, reply) => {
        const query = request.query as F & { limit?: number; after?: string }
        const missing = needs.find((name) => query.after === undefined && query[name] === undefined)
        if (missing) throw problem('invalid-query', `Query parameter ${missing} is required.`)
        return sendPage<F, K>(reply, address, query, (wanted, page) => run(request.actor, wanted, page))
      }
    )
}

function ruleOf<F extends object>({ subjects, lookUp }: ListAudit<F>, cursors: Cursors): AuditRule {
  const filters = ({ query }: UrlParams) => filtersOf<F>(cursors, query)
  return {
    address: (address) => subjects(filters(address)),
    ...(lookUp && { lookUp: (address) => lookUp(filters(address)) })
  }
}
