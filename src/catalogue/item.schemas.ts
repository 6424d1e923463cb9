import { type Static, Type } from '@sinclair/typebox'
import {
  Coding,
  type CodingInput,
  Enum,
  Id,
  Identifier,
  type InputSchemas,
  Maybe,
  NoId,
  Nullable,
  Strict,
  Url
} from '../platform/schemas.js'
import { Annotation, annotationName } from './annotation.schemas.js'

export type ItemType = 'DeviceModel' | 'Service'

/** A member that the other type of item has: it may only be null here. */
const Never = Type.Optional(Type.Unsafe<null>({ type: 'null', description: 'Not for this type of item.' }))

export interface ItemInput {
  catalogueItemType: ItemType
  identifiers?: { system: string; value: string; assigner?: string | null }[] | null
  catalogue: string
  name: string
  description?: string | null
  status?: string | CodingInput | null
  manufacturer?: string | null
  model?: string | null
  version?: string | null
  relatedTo?: string | null
  serviceType?: string | CodingInput | null
  annotations?: ItemAnnotationInput[] | null
}

export interface ItemAnnotationInput {
  buyer: string
  name: string
  value: CodingInput
}

export function itemSchemas(inputs: InputSchemas, maxItems: number) {
  const { Text, Reference, Identifiers, CodingOrCode, Coding } = inputs
  const common = {
    identifiers: Identifiers,
    catalogue: Reference('URL of the catalogue.'),
    name: Text('Name of the item.'),
    description: Maybe(Text('Description of the item.')),
    status: Maybe(CodingOrCode('AVAILABLE (default), UNAVAILABLE or DISCONTINUED.'))
  }
  const device = {
    catalogueItemType: Enum(['DeviceModel'], 'DeviceModel or Service.'),
    ...common,
    manufacturer: Text('Manufacturer of the device model.'),
    model: Text('Model of the device.'),
    version: Maybe(Text('Version of the device model.')),
    relatedTo: Never,
    serviceType: Never
  }
  const service = {
    catalogueItemType: Enum(['Service'], 'DeviceModel or Service.'),
    ...common,
    relatedTo: Maybe(Reference('URL of the device model, of the same seller, that the service is for.')),
    serviceType: CodingOrCode('Type of the service, such as DELIVER or REPAIR.'),
    manufacturer: Never,
    model: Never,
    version: Never
  }
  const annotations = Maybe(
    Type.Array(
      Strict({
        buyer: Reference('URL of the buying party.'),
        name: annotationName(inputs),
        value: Coding('Value of the annotation.')
      }),
      { maxItems: 100, description: 'Annotations to be made along with the item.' }
    )
  )
  const itemOf = <T extends Record<string, ReturnType<typeof Type.Unsafe>>>(more: T) =>
    Type.Unsafe<ItemInput>({
      type: 'object',
      required: ['catalogueItemType'],
      discriminator: { propertyName: 'catalogueItemType' },
      oneOf: [Strict({ ...more, ...device }), Strict({ ...more, ...service })],
      description: 'A device model or a service that a provider delivers.'
    })
  const ItemInput = itemOf({ id: NoId, annotations })
  return {
    ItemInput,
    ItemsInput: Type.Array(ItemInput, { maxItems, description: 'Items, of one or both types.' }),
    ItemReplacement: itemOf({ id: Maybe(Text('Id of the item.')) })
  }
}

export const CatalogueItem = Type.Object(
  {
    id: Id,
    catalogueItemType: Type.String({ description: 'DeviceModel or Service.' }),
    identifiers: Type.Array(Identifier, { description: 'Identifiers given by others.' }),
    catalogue: Url('URL of the catalogue.'),
    name: Type.String({ description: 'Name of the item.' }),
    description: Nullable(Type.String({ description: 'Description of the item.' })),
    status: Type.String({ description: 'AVAILABLE, UNAVAILABLE or DISCONTINUED.' }),
    manufacturer: Type.Optional(Type.String({ description: 'DeviceModel: manufacturer.' })),
    model: Type.Optional(Type.String({ description: 'DeviceModel: model.' })),
    version: Type.Optional(Nullable(Type.String({ description: 'DeviceModel: version.' }))),
    relatedTo: Type.Optional(Nullable(Url('Service: URL of the device model that it is for.'))),
    serviceType: Type.Optional(Coding),
    annotations: Type.Optional(
      Type.Array(Annotation, { description: 'Annotations of the buyer named in the query.' })
    )
  },
  { description: 'A device model or a service that a provider delivers.' }
)
export type CatalogueItem = Static<typeof CatalogueItem>
