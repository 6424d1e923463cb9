import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Call } from '../auth/call.js'
import { problem } from '../errors/problem.js'
import { Text } from '../schemas/input-schemas.js'
import { ById, documentedAs, Empty, Maybe, NoQuery } from '../schemas/schemas.js'
import { serverProblem } from '../server/texts.js'
import { untilDeadline } from '../server/until-deadline.js'
import { isId } from '../urls/resource-urls.js'
import { conditionalCall } from './etag.js'
import { type ResourceView, respondToWrite } from './representation.js'
import { type App, type ResourceName, type RouteOptions, routeConfig, withArticle } from './route-config.js'

/** `PUT /<resource>` (id in the body) and `PUT /<resource>/{id}`. */
export function putRoutes<B extends TSchema>(
  app: App,
  name: ResourceName,
  {
    access,
    docs = {},
    body,
    run,
    view
  }: Omit<RouteOptions, 'audit'> & {
    body: B
    run: (call: Call, id: string, input: Static<B>) => Promise<void>
    view: ResourceView
  }
): void {
  const { type, noun, resource, hasSlash } = name
  const common = `Replaces the ${noun}. Members that the body omits are cleared. Without \`If-Match\` the last writer wins.`
  for (const isById of [false, true])
    app.put(
      `/${resource.path}${isById ? '/:id' : ''}`,
      {
        config: routeConfig(name, common, {
          access,
          isRepresentable: true,
          isConditional: true,
          hasSlash: !isById && hasSlash,
          docs: {
            ...docs,
            errors: ['not-found', ...(isById ? ['conflicting-ids'] : []), ...(docs.errors ?? [])]
          }
        }),
        schema: {
          operationId: `replace${type}${isById ? 'ById' : ''}`,
          summary: isById ? `Replace ${withArticle(noun)}` : `Replace the ${noun} with the id in the body`,
          tags: [type],
          ...(isById && { params: ById }),
          querystring: NoQuery,
          body: isById ? body : withRequiredId(body),
          response: { 200: view.response, 204: Empty } as Record<number, TSchema>
        }
      },
      untilDeadline(async (request, reply) => {
        const id = idToReplace(request.body as WithId, (request.params as WithId).id)
        await run(conditionalCall(request), id, request.body as Static<B>)
        return respondToWrite(request, reply, { view, id })
      })
    )
}

/** The schema of the body that replaces a resource: the schema for creating it, with the id. */
export function replacementOf<B extends TObject>({ type, noun }: ResourceName, body: B, response: TObject) {
  const id = Maybe(Text(`Id of the ${noun}.`, response.properties.id?.example))
  return Type.Unsafe<Omit<Static<B>, 'id'>>({
    ...body,
    title: `${type}Replacement`,
    description: `The full replacement of ${withArticle(noun)}.`,
    properties: { ...body.properties, id }
  })
}

interface WithId {
  id?: string | null
}

/**
 * The schema with a required id, which the documents omit, because they show one form of a schema.
 */
function withRequiredId<B extends TSchema>(body: B): B {
  const required = [...(body.required ?? []), 'id']
  const id = { ...body.properties?.id, type: 'string' }
  return documentedAs({ ...body, required, properties: { ...body.properties, id } }, body)
}

/** @throws Problem `conflicting-ids` when the ids differ, `not-found` for a malformed id. */
function idToReplace(body: WithId, path: WithId['id']): string {
  const id = path ?? body.id ?? ''
  if (path && body.id && body.id !== path) throw serverProblem('conflicting-ids')
  if (!isId(id)) throw problem('not-found.malformedId')
  return id
}
