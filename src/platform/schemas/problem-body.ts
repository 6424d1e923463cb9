import { Type } from '@sinclair/typebox'

const FaultyResource = Type.Object(
  {
    url: Type.String({ description: 'URL of the resource.' }),
    pointer: Type.String({ description: 'RFC 6901 pointer to the field in the resource.' })
  },
  {
    title: 'FaultyResource',
    description: 'The resource with the invalid field. Absent if it is the resource in the body.'
  }
)

export const FieldProblem = Type.Object(
  {
    pointer: Type.String({ description: 'RFC 6901 pointer to the field in the body.' }),
    code: Type.String({ description: 'Code of the rule that the field violates.' }),
    detail: Type.String({ description: 'What to change.' }),
    resource: Type.Optional(FaultyResource)
  },
  { title: 'FieldProblem', description: 'A validation error of one field.' }
)

/** Body of every response with a status from 400 (RFC 9457). */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'URL of a page about the problem type; it ends with the code.' }),
    title: Type.String({ description: 'The problem type, for people.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'What is wrong and what to do.' }),
    instance: Type.String({ description: 'Id of the request, as in the log.' }),
    code: Type.String({ description: 'Stable code of the problem type.' }),
    errors: Type.Optional(
      Type.Array(FieldProblem, { description: 'The invalid fields. Absent when no field is invalid.' })
    )
  },
  { title: 'Problem', description: 'A problem (RFC 9457) with a code and the invalid fields.' }
)
