import { type Static, Type } from '@sinclair/typebox'
import { catalogueKind } from '../catalogue/kinds.js'
import { sampleUrl } from '../platform/samples.js'
import { Enum, Nullable, Url } from '../platform/schemas.js'
import { languages } from './columns.js'

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, example })

/** What became of the rows of a workbook, or in a dry run would become of them. */
export const ImportAnswer = Type.Object(
  {
    dryRun: Type.Boolean({ description: 'Whether it was tried only, and nothing written.', example: false }),
    catalogue: Nullable(
      Url('URL of the catalogue; null for a new one in a dry run.', sampleUrl(catalogueKind, 'devices'))
    ),
    catalogueChange: Type.Unsafe<'created' | 'changed' | 'unchanged'>({
      ...Enum(['created', 'changed', 'unchanged'], 'What became of the catalogue itself.'),
      example: 'unchanged'
    }),
    created: count('Items that were created.', 12),
    changed: count('Items that were changed.', 3),
    unchanged: count('Items that were so already.', 285),
    annotations: Type.Object(
      {
        created: count('Annotations that were made.', 4),
        unchanged: count('Annotations that were there already.', 60)
      },
      { description: 'Annotations of buyers of the caller’s organization.' }
    )
  },
  { title: 'Import', description: 'What became of the rows of a workbook.' }
)
export type ImportAnswer = Static<typeof ImportAnswer>

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ description: 'Checks and reports everything, and writes nothing.' }))
  },
  { additionalProperties: false }
)

export const WorkbookQuery = Type.Object(
  {
    language: Type.Optional(
      Enum(languages, 'Language of headers and comments. Default: what `Accept-Language` prefers, else en.')
    )
  },
  { additionalProperties: false }
)

/** A workbook as the body of an answer. */
export const WorkbookFile = Type.Unsafe<unknown>({
  type: 'string',
  format: 'binary',
  description: 'The workbook, .xlsx.',
  example: 'PK…'
})
