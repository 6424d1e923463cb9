import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { userTypes } from '../../platform/auth/caller.js'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { CodeOf, Enum, Nullable, Timestamp, Url } from '../../platform/schemas/schemas.js'
import { catalogueResource } from '../resources.js'

export const countSchema = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, example })
export const textSchema = (description: string, example: string) => Type.String({ description, example })

export const CatalogueChange = Type.Unsafe<'created' | 'changed' | 'unchanged'>({
  ...Enum(['created', 'changed', 'unchanged'], 'Change to the catalogue itself.'),
  example: 'unchanged'
})

const partCounts = (noun: string) =>
  Nullable(
    Type.Object(
      { created: countSchema('Created.', 4), deleted: countSchema('Deleted, by an undo.', 0) },
      { description: `${noun} of the caller’s organization; null for imports of another organization.` }
    )
  )

const example = '0199a3c4-5c1e-7d11-8a2f-3f0f6d2b9c01'

/** An import that changed a catalogue, or the undo of one. */
export const HistoryEntry = Type.Object(
  {
    id: textSchema('Id of the import; opaque.', example),
    catalogue: Url('URL of the catalogue.', exampleUrl(catalogueResource, 'devices')),
    seller: Url('URL of the seller of the catalogue at that time.', exampleUrl(partyResource, 'provider')),
    recorded: Timestamp('Time of the import or undo (UTC).', '2026-11-23T09:53:28.123Z'),
    userType: CodeOf(userTypes, 'User type of the user who made the import or undo.', 'Provider'),
    organization: Nullable(
      textSchema(
        'Organization of the user who made the import or undo.',
        'https://fhir.example/Organization/maaneskaer'
      )
    ),
    user: Nullable(
      textSchema('User id of the user who made the import or undo; null for another organization.', 'u-4711')
    ),
    fileName: Nullable(
      textSchema('Name of the file; null for another organization, and for an undo.', 'catalogue.xlsx')
    ),
    catalogueChange: CatalogueChange,
    items: Type.Object(
      {
        created: countSchema('Items created.', 12),
        changed: countSchema('Items changed; by an undo: items that got their former content back.', 3),
        withdrawn: countSchema('Items made unavailable, because the import that created them was undone.', 0)
      },
      { description: 'Items of the catalogue.' }
    ),
    annotations: partCounts('Annotations'),
    whiteList: partCounts('White list entries'),
    undoes: Nullable(textSchema('Id of the import that this undo took back; null for an import.', example)),
    undone: Nullable(
      Timestamp('Time of the undo of this import; null without an undo.', '2026-11-23T10:02:11.456Z')
    ),
    undoable: Type.Boolean({
      description:
        'Whether this is the last import of the catalogue and at most 30 days old. Only an attempt to undo shows whether the catalogue has changed since.',
      example: true
    })
  },
  { title: 'HistoryEntry', description: 'A change in the history of a catalogue.' }
)
export type HistoryEntry = Static<typeof HistoryEntry>
