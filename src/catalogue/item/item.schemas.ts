import { type Static, Type } from '@sinclair/typebox'
import { inputLimits } from '../../platform/json/input-limits.js'
import { valueSetOf } from '../../platform/schemas/examples.js'
import { eachField, type Fields } from '../../platform/schemas/fields.js'
import {
  CodeOrCoding,
  CodingInput,
  CodingOrCode,
  Identifiers,
  inputMembers,
  Reference,
  Text
} from '../../platform/schemas/input-schemas.js'
import {
  CodeOf,
  CodingOf,
  Enum,
  Id,
  Identifier,
  Maybe,
  NoId,
  Nullable,
  responseMembers,
  Strict,
  Url
} from '../../platform/schemas/schemas.js'
import { Annotation, annotationName } from '../annotation/annotation.schemas.js'
import { itemResource } from '../resources.js'
import {
  annotationExample,
  deviceExample,
  deviceResponseExample,
  itemStatusExample,
  serviceExample
} from './item.examples.js'
import { type ItemField, type ItemType, itemFields, itemTypes } from './item.fields.js'

/** A member of the other type of item, which may only be null here. */
const Never = Type.Optional(Type.Unsafe<null>({ type: 'null', description: 'Not for this type of item.' }))

/** The nullable texts are those of `item.fields.ts`. */
export interface ItemInput extends Partial<Readonly<Record<ItemField, string | null>>> {
  catalogueItemType: ItemType
  identifiers?: { system: string; value: string; assigner?: string | null }[] | null
  catalogue: string
  name: string
  status?: string | CodingInput | null
  manufacturer?: string | null
  model?: string | null
  relatedTo?: string | null
  serviceType?: string | CodingInput | null
  annotations?: ItemAnnotationInput[] | null
}

export interface ItemAnnotationInput {
  buyer: string
  name: string
  value: CodingInput
}

const ownMembers = (type: ItemType, other: ItemType) =>
  inputMembers(
    eachField(itemFields[type] as Fields, ({ column, schema }) => ({
      column,
      schema: { ...schema, description: `${schema.description} Null or absent for a ${other}.` }
    }))
  )

const common = {
  identifiers: Identifiers,
  catalogue: Reference('URL of the catalogue.', deviceExample.catalogue),
  name: Text('Name of the item.', deviceExample.name),
  ...inputMembers(itemFields.common),
  status: Maybe(
    CodeOrCoding(
      'AVAILABLE (default), UNAVAILABLE or DISCONTINUED, as the code or as a Coding.',
      itemStatusExample
    )
  )
}

const device = {
  catalogueItemType: Enum(['DeviceModel'], 'DeviceModel or Service.'),
  ...common,
  manufacturer: Text(
    'DeviceModel: manufacturer. Required there, null or absent for a Service.',
    deviceExample.manufacturer
  ),
  model: Text('DeviceModel: model. Required there, null or absent for a Service.', deviceExample.model),
  ...ownMembers('DeviceModel', 'Service'),
  ...eachField(itemFields.Service, () => Never),
  relatedTo: Never,
  serviceType: Never
}

const service = {
  catalogueItemType: Enum(['Service'], 'DeviceModel or Service.'),
  ...common,
  relatedTo: Maybe(
    Reference(
      'Service: URL of the device model, of the same seller, that it relates to. Null or absent for a DeviceModel.',
      serviceExample.relatedTo
    )
  ),
  serviceType: CodingOrCode(
    'Service: its type, such as DELIVER or REPAIR, as a Coding or as the bare code. Required there, null or absent for a DeviceModel.',
    serviceExample.serviceType
  ),
  ...ownMembers('Service', 'DeviceModel'),
  manufacturer: Never,
  model: Never,
  ...eachField(itemFields.DeviceModel, () => Never)
}

const annotationMembers = {
  buyer: Reference('URL of the buying party.', annotationExample.buyer),
  name: annotationName,
  value: CodingInput('Value of the annotation.', annotationExample.value)
}

const annotations = Maybe(
  Type.Array(
    Strict(annotationMembers, 'An annotation that is created with an item.', 'ItemAnnotationInput'),
    { maxItems: 100, description: 'Annotations that are created with the item.' }
  )
)

const returnedAnnotations = Maybe(
  Type.Array(
    Strict(
      {
        id: Maybe(Text('Id of the annotation.')),
        catalogueItem: Maybe(Reference('URL of the item.')),
        ...annotationMembers
      },
      'An annotation as a search returns it.',
      'ReturnedAnnotationInput'
    ),
    {
      maxItems: inputLimits.bulkItems,
      description: 'Accepted as a search returns them, and ignored: annotations are replaced on their own.'
    }
  )
)

const itemOf = <T extends Record<string, ReturnType<typeof Type.Unsafe>>>(
  title: string,
  more: T,
  example: object
) =>
  Type.Unsafe<ItemInput>({
    title,
    type: 'object',
    required: ['catalogueItemType'],
    discriminator: { propertyName: 'catalogueItemType' },
    oneOf: [Strict({ ...more, ...device }), Strict({ ...more, ...service })],
    description: 'A device model or a service that a provider delivers.',
    example
  })

export const ItemInput = itemOf('CatalogueItemInput', { id: NoId, annotations }, deviceExample)

export const ItemReplacement = itemOf(
  'CatalogueItemReplacement',
  {
    id: Maybe(Text('Id of the item.', deviceResponseExample.id)),
    seller: Maybe(Text('Accepted as a search returns it, and ignored: it is that of the catalogue.')),
    annotations: returnedAnnotations
  },
  { ...deviceExample, id: deviceResponseExample.id }
)

/** Members that only items of one type have. */
const optionalMembers = <F extends Fields>(fields: F) =>
  eachField(responseMembers(fields), (member) => Type.Optional(member))

export const CatalogueItem = Type.Object(
  {
    id: Id(itemResource, 'device'),
    catalogueItemType: CodeOf(itemTypes, 'DeviceModel or Service.', 'DeviceModel'),
    identifiers: Type.Array(Identifier, { description: 'Identifiers assigned by other systems.' }),
    catalogue: Url('URL of the catalogue.', deviceExample.catalogue),
    name: Type.String({ description: 'Name of the item.', example: deviceExample.name }),
    ...responseMembers(itemFields.common),
    status: Type.String({
      description: 'AVAILABLE, UNAVAILABLE or DISCONTINUED.',
      ...valueSetOf(itemStatusExample),
      example: itemStatusExample.code
    }),
    manufacturer: Type.Optional(
      Type.String({ description: 'DeviceModel: manufacturer.', example: deviceExample.manufacturer })
    ),
    model: Type.Optional(Type.String({ description: 'DeviceModel: model.', example: deviceExample.model })),
    ...optionalMembers(itemFields.DeviceModel),
    relatedTo: Type.Optional(
      Nullable(Url('Service: URL of the device model that it relates to.', serviceExample.relatedTo))
    ),
    serviceType: Type.Optional(
      CodingOf('Service: its type, from the value set service-type.', serviceExample.serviceType)
    ),
    ...optionalMembers(itemFields.Service),
    seller: Type.Optional(
      Url('URL of the delivering party, that of the catalogue. In searches only.', annotationExample.buyer)
    ),
    annotations: Type.Optional(
      Type.Array(Annotation, { description: 'Annotations of the buyer named in the query.' })
    )
  },
  {
    title: 'CatalogueItem',
    description: 'A device model or a service that a provider delivers.',
    example: deviceResponseExample
  }
)
export type CatalogueItem = Static<typeof CatalogueItem>
