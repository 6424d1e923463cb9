import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createRoutes } from '../../platform/rest/bulk-route.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { putRoutes, replacementOf } from '../../platform/rest/put-routes.js'
import type { ResourceView } from '../../platform/rest/representation.js'
import { deleteRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { annotationAccess } from '../catalogue.access.js'
import { annotationResource } from '../resources.js'
import { toAnnotation } from '../serializers.js'
import { type AnnotationFilters, annotationFilters, annotationQueries } from './annotation.queries.js'
import { Annotation, AnnotationInput } from './annotation.schemas.js'
import { createAnnotations, deleteAnnotation, replaceAnnotation } from './annotation.service.js'

const name: ResourceName = {
  type: 'Annotation',
  noun: 'annotation',
  description: 'Annotations of items by buyers, for search: a name and a coded value.',
  resource: annotationResource
}

const docs = {
  description:
    'The value must be in the value set of the name. A buyer can annotate an item with the same name and value only once.',
  errors: [
    ...['duplicate-annotation', 'dangling-reference', 'wrong-role', 'unknown-coding'],
    'terminology-unavailable'
  ]
}

export const annotationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view: ResourceView = {
    access: annotationAccess.read,
    response: Annotation,
    run: (call, id) => annotationQueries.view(app, call, id)
  }
  createRoutes(app, name, {
    path: 'annotations',
    access: annotationAccess.create,
    docs,
    body: AnnotationInput,
    run: (call, entries) => createAnnotations(app, call, entries),
    toResource: (call, row) => toAnnotation(app, call, row),
    view,
    viewAll: (call, ids) => annotationQueries.viewAll(app, call, ids)
  })
  putRoutes(app, name, {
    access: annotationAccess.update,
    docs,
    body: replacementOf(name, AnnotationInput, Annotation),
    run: (call, id, input) => replaceAnnotation(app, call, id, input),
    view
  })
  readRoute(app, name, view)
  deleteRoute(app, name, {
    access: annotationAccess.delete,
    run: (call, id) => deleteAnnotation(app, call, id)
  })
  listRoute<AnnotationFilters, string, typeof Annotation>(app, name, {
    path: 'annotations',
    access: annotationAccess.read,
    filters: annotationFilters,
    response: Annotation,
    run: (call, filters, page) => annotationQueries.list(app, call, filters, page)
  })
}
