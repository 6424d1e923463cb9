import { type Static, Type } from '@sinclair/typebox'
import { CatalogueChange, countSchema, textSchema } from '../catalogue/history/history.schemas.js'
import { catalogueResource } from '../catalogue/resources.js'
import { languages } from '../platform/errors/language.js'
import { exampleUrl } from '../platform/schemas/examples.js'
import { Enum, Nullable, Url } from '../platform/schemas/schemas.js'

export const workbookTag = 'Catalogues as Excel workbooks: a template, import and export.'

const ChangedRow = Type.Object(
  {
    sheet: textSchema('Name of the sheet.', 'Devices'),
    row: countSchema('Number of the row.', 7),
    change: Type.Unsafe<'created' | 'changed'>({
      ...Enum(['created', 'changed'], 'Whether the row is new.'),
      example: 'changed'
    }),
    name: Nullable(
      textSchema(
        'Name of the catalogue, the item or the annotation; of a white list entry its buyer.',
        'Blodtryksmåler'
      )
    ),
    identifier: Nullable(
      textSchema('Its first identifier; of an annotation or a white list entry that of its item.', '00123')
    ),
    columns: Type.Array(
      Type.Object(
        {
          column: textSchema('Header of the column.', 'Status'),
          old: Nullable(textSchema('The former text, shortened; null if there was none.', 'Available')),
          new: Nullable(textSchema('The new text, shortened; null if it is empty.', 'Unavailable'))
        },
        { description: 'A cell that differs.' }
      ),
      { description: 'The cells that differ.' }
    )
  },
  { description: 'A row that is created or changed.' }
)

/** The result of an import, or of a dry run. */
export const ImportResult = Type.Object(
  {
    dryRun: Type.Boolean({
      description: 'Whether this was a dry run, which writes nothing.',
      example: false
    }),
    import: Type.Optional(
      Nullable(
        textSchema(
          'Id of the import in the history of the catalogue; null if nothing changed.',
          '0199a3c4-5c1e-7d11-8a2f-3f0f6d2b9c01'
        )
      )
    ),
    catalogue: Nullable(
      Url('URL of the catalogue; null for a new one in a dry run.', exampleUrl(catalogueResource, 'devices'))
    ),
    catalogueChange: CatalogueChange,
    created: countSchema('Items created.', 12),
    changed: countSchema('Items changed.', 3),
    unchanged: countSchema('Items that did not change.', 285),
    annotations: Type.Object(
      {
        created: countSchema('Annotations created.', 4),
        unchanged: countSchema('Annotations that already existed.', 60)
      },
      { description: 'Annotations by buyers of the caller’s organization, or registered by it.' }
    ),
    whiteList: Type.Object(
      {
        created: countSchema('White list entries created.', 2),
        unchanged: countSchema('White list entries that already existed.', 40)
      },
      { description: 'White list entries of buyers of the caller’s organization, or registered by it.' }
    ),
    changes: Type.Object(
      {
        total: countSchema('Rows that are created or changed.', 15),
        rows: Type.Array(ChangedRow, { description: 'The first 200 rows, in the order of the sheets.' })
      },
      { description: 'What changes, row by row.' }
    ),
    hiddenRows: countSchema('Hidden rows. They are read like visible rows.', 0),
    ignored: Type.Array(
      Type.Object(
        {
          sheet: textSchema('Name of the sheet.', 'Devices'),
          cell: textSchema('Address of the header.', 'M1'),
          column: textSchema('The header.', 'Our remarks')
        },
        { description: 'A column that was not read.' }
      ),
      { description: 'Columns that were not read, because no column has such a header.' }
    )
  },
  { title: 'Import', description: 'Result of an import.' }
)
export type ImportResult = Static<typeof ImportResult>

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Whether to check and report everything, and write nothing.' })
    ),
    language: Type.Optional(
      Enum(
        languages,
        'Language of faults. Default: the language preferred by `Accept-Language`, otherwise en.'
      )
    )
  },
  { additionalProperties: false }
)

export const UpdateQuery = Type.Object(
  {
    ...ImportQuery.properties,
    confirm: Type.Optional(
      Type.Boolean({
        description:
          'Whether to update the catalogue even if another catalogue has its new name or identifier.'
      })
    )
  },
  { additionalProperties: false }
)

export const WorkbookQuery = Type.Object(
  {
    language: Type.Optional(
      Enum(
        languages,
        'Language of headers and comments. Default: the language preferred by `Accept-Language`, otherwise en.'
      )
    )
  },
  { additionalProperties: false }
)

export const WorkbookFile = Type.Unsafe<unknown>({
  type: 'string',
  format: 'binary',
  description: 'The workbook, .xlsx.',
  example: 'PK…'
})
