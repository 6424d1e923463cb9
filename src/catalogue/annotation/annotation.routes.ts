import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Call } from '../../platform/auth/call.js'
import { bulkCreateRoute } from '../../platform/rest/bulk-route.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { putRoutes } from '../../platform/rest/put-routes.js'
import { createRoute, deleteRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { annotationAccess } from '../catalogue.access.js'
import { annotationResource } from '../resources.js'
import {
  type AnnotationFilters,
  annotationFilters,
  listAnnotations,
  viewAnnotation,
  viewAnnotations
} from './annotation.queries.js'
import { Annotation, AnnotationInput, AnnotationReplacement, AnnotationsInput } from './annotation.schemas.js'
import {
  createAnnotation,
  createAnnotations,
  deleteAnnotation,
  replaceAnnotation
} from './annotation.service.js'

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

/** Routes of annotations. */
export const annotationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view = (call: Call, id: string) => viewAnnotation(app, call, id)

  createRoute(app, name, {
    access: annotationAccess.create,
    docs,
    body: AnnotationInput,
    locate: (id) => app.resourceUrls.url(annotationResource, id),
    run: (call, input: AnnotationInput) => createAnnotation(app, call, input),
    view: { access: annotationAccess.read, response: Annotation, run: view }
  })
  bulkCreateRoute(app, name, {
    path: 'annotations',
    access: annotationAccess.create,
    docs,
    body: AnnotationsInput,
    response: Annotation,
    run: (call, inputs) => createAnnotations(app, call, inputs as AnnotationInput[]),
    view: { access: annotationAccess.read, run: (call, ids) => viewAnnotations(app, call, ids) }
  })
  putRoutes(app, name, {
    access: annotationAccess.update,
    docs,
    body: AnnotationReplacement,
    run: (call, id, input: AnnotationInput) => replaceAnnotation(app, call, id, input),
    view: { access: annotationAccess.read, response: Annotation, run: view }
  })
  readRoute(app, name, {
    access: annotationAccess.read,
    response: Annotation,
    run: view
  })
  deleteRoute(app, name, {
    access: annotationAccess.delete,
    run: (call, id) => deleteAnnotation(app, call, id)
  })

  listRoute<AnnotationFilters, string, typeof Annotation>(app, name, {
    path: 'annotations',
    access: annotationAccess.read,
    filters: annotationFilters,
    response: Annotation,
    run: (call, filters, page) => listAnnotations(app, call, filters, page)
  })
}
