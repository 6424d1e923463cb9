import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { CodingInput, Reference, Text } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Id, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { annotationExample } from '../item/item.examples.js'
import { annotationResource, itemResource } from '../resources.js'

const examples = { item: exampleUrl(itemResource, 'device'), buyer: exampleUrl(partyResource, 'buyer') }

/** A name contains neither the separators of the search filter nor control characters. */
export const annotationName = Type.Unsafe<string>({
  ...Text(
    'Name of the annotation, without | and :. Reserved names, such as ehealth/device-type, have their own value sets.',
    annotationExample.name,
    255
  ),
  pattern: '^[^|:\\u0000-\\u001f]+$'
})

const members = {
  catalogueItem: Reference('URL of the annotated item.', examples.item),
  buyer: Reference('URL of the buying party that owns the annotation.', examples.buyer),
  name: annotationName,
  value: CodingInput('Value, from the value set of the name.', annotationExample.value)
}

export const AnnotationInput = Strict(
  { id: NoId, ...members },
  'An annotation of an item by a buyer.',
  'AnnotationInput'
)

export type AnnotationInput = Omit<Static<typeof AnnotationInput>, 'id'>

export const Annotation = Type.Object(
  {
    id: Id(annotationResource, 'device-type'),
    catalogueItem: Url('URL of the annotated item.', examples.item),
    buyer: Url('URL of the buying party that owns the annotation.', examples.buyer),
    name: Type.String({ description: 'Name of the annotation.', example: annotationExample.name }),
    value: CodingOf('Value of the annotation.', annotationExample.value)
  },
  { title: 'Annotation', description: 'An annotation of an item by a buyer.' }
)
export type Annotation = Static<typeof Annotation>
