import { type Static, Type } from '@sinclair/typebox'
import {
  Coding,
  type CodingInput,
  Id,
  type InputSchemas,
  Maybe,
  NoId,
  Strict,
  Url
} from '../platform/schemas.js'

/** A name holds neither the separators of the search filter nor a line break. */
export const annotationName = ({ Text }: InputSchemas) =>
  Type.Unsafe<string>({
    ...Text('Name of the annotation; without | and :.', 255),
    pattern: '^[^|:\\u0000-\\u001f]+$'
  })

export function annotationSchemas(inputs: InputSchemas) {
  const { Text, Reference, Coding } = inputs
  const members = {
    catalogueItem: Reference('URL of the annotated item.'),
    buyer: Reference('URL of the buying party whose annotation it is.'),
    name: annotationName(inputs),
    value: Coding('Value, from the value set of the name.')
  }
  return {
    AnnotationInput: Strict({ id: NoId, ...members }, 'What a buyer notes about an item.'),
    AnnotationReplacement: Strict(
      { id: Maybe(Text('Id of the annotation.')), ...members },
      'An annotation, whole.'
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
    id: Id,
    catalogueItem: Url('URL of the annotated item.'),
    buyer: Url('URL of the buying party whose annotation it is.'),
    name: Type.String({ description: 'Name of the annotation.' }),
    value: Coding
  },
  { description: 'What a buyer notes about an item.' }
)
export type Annotation = Static<typeof Annotation>
