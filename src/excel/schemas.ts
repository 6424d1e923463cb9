import { type Static, Type } from '@sinclair/typebox'
import { catalogueKind } from '../catalogue/resources.js'
import { exampleUrl } from '../platform/schemas/examples.js'
import { Enum, Nullable, Url } from '../platform/schemas/schemas.js'
import { languages } from './sheets/columns.js'

/** What these routes are about, for the documentation. */
export const tag = 'Catalogues as Excel workbooks: a template, import and export.'

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, example })

/** What became of the rows of a workbook, or in a dry run would become of them. */
export const ImportAnswer = Type.Object(
  {
    dryRun: Type.Boolean({ description: 'Whether it was tried only, and nothing written.', example: false }),
    catalogue: Nullable(
      Url('URL of the catalogue; null for a new one in a dry run.', exampleUrl(catalogueKind, 'devices'))
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
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Checks and reports everything, and writes nothing.' })
    ),
    language: Type.Optional(
      Enum(
        languages,
        'Language of the faults in a marked workbook. Default: what `Accept-Language` prefers, else en.'
      )
    )
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

/** An import that is waited for by asking. */
export const ImportJob = Type.Object(
  {
    id: Type.String({
      description: 'Id of the import; opaque.',
      example: '0199a3c4-5c1e-7d11-8a2f-3f0f6d2b9c01'
    }),
    state: Type.String({
      description:
        'running, succeeded, failed (see `problem`), or interrupted: the server went away before it was done. What has not succeeded wrote nothing.',
      example: 'running'
    }),
    phase: Type.String({ description: 'reading, checking, writing or done.', example: 'writing' }),
    rowsDone: count('Rows that are done in this phase.', 2000),
    rows: count('Rows of this phase; 0 until they are counted.', 5000),
    dryRun: Type.Boolean({ description: 'Whether it is only tried.', example: false }),
    report: Nullable(ImportAnswer),
    problem: Nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'What an answer at once would have told of the failure.',
          example: null
        }
      )
    )
  },
  { title: 'ImportJob', description: 'How far an import is, and what came of it.' }
)
export type ImportJob = Static<typeof ImportJob>

/** A workbook as the body of an answer. */
export const WorkbookFile = Type.Unsafe<unknown>({
  type: 'string',
  format: 'binary',
  description: 'The workbook, .xlsx.',
  example: 'PK…'
})
