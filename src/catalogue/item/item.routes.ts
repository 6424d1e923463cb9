import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { AccessRule } from '../../platform/auth/access.js'
import { patientNamed } from '../../platform/auth/audit-rule.js'
import { listRoute } from '../../platform/rest/list-route.js'
import {
  createRoute,
  type ResourceName,
  type RouteDocs,
  readRoute,
  replaceRoutes,
  routeDoc
} from '../../platform/rest/resource-routes.js'
import { Enum, inputSchemas, NoQuery } from '../../platform/schemas/schemas.js'
import { searchBound } from '../../platform/util/search-text.js'
import { itemKind } from '../resources.js'
import { answeredDevice, answeredService } from './item.examples.js'
import { CatalogueItem, itemSchemas } from './item.schemas.js'
import { createItem, createItems, replaceItem } from './item.service.js'
import { type ItemFilters, searchItems } from './search-items.js'
import { viewItem } from './view-item.js'

const name: ResourceName = {
  type: 'CatalogueItem',
  noun: 'catalogue item',
  description: 'Device models and services that providers deliver, and the search for what can be ordered.',
  resource: itemKind
}

const refusals = ['duplicate-identifier', 'dangling-reference', 'unrelated-item', 'unknown-coding'] as const
const creation: RouteDocs = {
  description:
    'A service relates to a device model of its seller, if to any. Annotations are made along with it for who may create those.',
  errors: [...refusals, 'duplicate-annotation', 'wrong-role', 'terminology-unavailable']
}

const write = { AdministrativeClerk: 'administered', Provider: 'own-seller' } as const
const create: AccessRule = { permission: 'CatalogueItem.create', scopes: write }
const update: AccessRule = { permission: 'CatalogueItem.update', scopes: write }
const read: AccessRule = {
  permission: 'CatalogueItem.read',
  scopes: { ...write, AdministrativeClerk: 'any', MonitoringResponsible: 'any' }
}

/** Catalogue items: device models and services, one or many at a time, and the search for them. */
export const itemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { limits, resourceUrls } = app
  const { ItemInput, ItemsInput, ItemReplacement } = itemSchemas(inputSchemas(limits), limits.bulkItems)

  createRoute(app, name, {
    access: create,
    docs: creation,
    body: ItemInput,
    locate: (id) => resourceUrls.url(itemKind, id),
    run: (actor, input) => createItem(app, actor, input)
  })
  replaceRoutes(app, name, {
    access: update,
    docs: {
      description: 'Its type and its seller stay as they are; its annotations are left alone.',
      errors: [...refusals, 'fixed-type', 'fixed-seller']
    },
    body: ItemReplacement,
    run: (actor, id, input) => replaceItem(app, actor, id, input)
  })
  readRoute(app, name, {
    access: read,
    response: CatalogueItem,
    run: (actor, id) => viewItem(app, actor, id)
  })

  app.post(
    '/catalogue-items',
    {
      config: {
        access: create,
        doc: routeDoc(
          name.description,
          'Creates catalogue items, all of them or none, and answers them in the same order.',
          creation
        )
      },
      bodyLimit: limits.bulkBody,
      schema: {
        operationId: 'createCatalogueItems',
        summary: 'Create catalogue items, all or none',
        tags: ['CatalogueItem'],
        querystring: NoQuery,
        body: ItemsInput,
        response: {
          201: Type.Array(CatalogueItem, {
            description: 'The created items, in the order of the body.',
            example: [answeredDevice, answeredService]
          })
        }
      }
    },
    async (request, reply) => reply.code(201).send(await createItems(app, request.actor, request.body))
  )

  listRoute<ItemFilters, string, typeof CatalogueItem>(app, name, {
    path: 'catalogue-items',
    singular: true,
    access: read,
    audit: { subjects: ({ patient }) => patientNamed(patient) },
    docs: {
      description:
        'With `buyer`: what that buyer can order today, each item with the buyer’s `annotations` for who may read those (no Provider may name a buyer). With `patient` (MonitoringResponsible alone): without what is on the patient’s black list. With `annotation` (permission `Annotation.read`): what has all of these annotations. In order of name.'
    },
    filters: {
      ...filters,
      q: text(`Words of name, model, manufacturer and identifiers; all must be found. ${searchBound(limits)}`)
    },
    response: CatalogueItem,
    run: (actor, wanted, page) => searchItems(app, actor, wanted, page)
  })
}

const text = (description: string) => Type.Optional(Type.String({ maxLength: 4000, description }))

const filters = {
  buyer: text('URL of a party: what it can order today.'),
  patient: text('URL of a clinical Patient: without what is on the patient’s black list.'),
  annotation: Type.Optional(
    Type.Array(Type.String({ maxLength: 4000 }), {
      maxItems: 20,
      description:
        '`<name>:<system>|<code>`, or the earlier `<system>/<code>`; an item must have all of them.',
      collectionFormat: 'multi'
    })
  ),
  catalogue: text('URL of a catalogue.'),
  catalogueItemType: Type.Optional(Enum(['DeviceModel', 'Service'], 'Type of item.')),
  serviceType: text('Code of a service type.'),
  status: text('Code of an item status.')
}
