import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { exampleId, exampleUrl } from '../../platform/schemas/examples.js'
import type { CodingInput, InputSchemas } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Id, Maybe, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { annotationExample } from '../item/item.examples.js'
import { annotationResource, itemResource } from '../resources.js'

const examples = { item: exampleUrl(itemResource, 'device'), buyer: exampleUrl(partyResource, 'buyer') }

/** A name contains neither the separators of the search filter nor control characters. */
export const annotationName = ({ Text }: InputSchemas) =>
  Type.Unsafe<string>({
    ...Text(
      'Name of the annotation, without | and :. Reserved names, such as ehealth/device-type, have their own value sets.',
      annotationExample.name,
      255
    ),
    pattern: '^[^|:\\u0000-\\u001f]+$'
  })

export function annotationSchemas(inputs: InputSchemas, maxAnnotations: number) {
  const { Text, Reference, Coding } = inputs
  const members = {
    catalogueItem: Reference('URL of the annotated item.', examples.item),
    buyer: Reference('URL of the buying party that owns the annotation.', examples.buyer),
    name: annotationName(inputs),
    value: Coding('Value, from the value set of the name.', annotationExample.value)
  }
  const AnnotationInput = Strict(
    { id: NoId, ...members },
    'An annotation of an item by a buyer.',
    'AnnotationInput'
  )
  return {
    AnnotationInput,
    AnnotationsInput: Type.Array(AnnotationInput, { maxItems: maxAnnotations, description: 'Annotations.' }),
    AnnotationReplacement: Strict(
      { id: Maybe(Text('Id of the annotation.', exampleId(annotationResource, 'device-type'))), ...members },
      'The full replacement of an annotation.',
      'AnnotationReplacement'
    )
  }
}

export interface AnnotationInput {
  catalogueItem: string
  buyer: string
  name: string
  value: CodingInput
}

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
