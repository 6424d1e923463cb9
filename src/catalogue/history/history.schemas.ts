import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { userTypes } from '../../platform/auth/caller.js'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { CodeOf, Enum, Nullable, Timestamp, Url } from '../../platform/schemas/schemas.js'
import { catalogueResource } from '../resources.js'

export const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, example })
export const text = (description: string, example: string) => Type.String({ description, example })

export const CatalogueChange = Type.Unsafe<'created' | 'changed' | 'unchanged'>({
  ...Enum(['created', 'changed', 'unchanged'], 'Change to the catalogue itself.'),
  example: 'unchanged'
})

const partCounts = (noun: string) =>
  Nullable(
    Type.Object(
      { created: count('Created.', 4), deleted: count('Deleted, by an undo.', 0) },
      { description: `${noun} of the caller’s organization; null for imports of another one.` }
    )
  )

const example = '0199a3c4-5c1e-7d11-8a2f-3f0f6d2b9c01'

/** An import that changed a catalogue, or the undo of one. */
export const HistoryEntry = Type.Object(
  {
    id: text('Id of the import; opaque.', example),
    catalogue: Url('URL of the catalogue.', exampleUrl(catalogueResource, 'devices')),
    seller: Url('URL of the seller that the catalogue had then.', exampleUrl(partyResource, 'provider')),
    recorded: Timestamp('When it was written.', '2026-11-23T09:53:28.123Z'),
    userType: CodeOf(userTypes, 'User type of who did it.', 'Provider'),
    organization: Nullable(
      text('Organization of who did it.', 'https://fhir.example/Organization/maaneskaer')
    ),
    user: Nullable(text('User id of who did it; null for another organization.', 'u-4711')),
    fileName: Nullable(
      text('Name of the file; null for another organization, and for an undo.', 'catalogue.xlsx')
    ),
    catalogueChange: CatalogueChange,
    items: Type.Object(
      {
        created: count('Items created.', 12),
        changed: count('Items changed; by an undo: with their former content again.', 3),
        withdrawn: count('Items made unavailable, because the import that created them was undone.', 0)
      },
      { description: 'Items of the catalogue.' }
    ),
    annotations: partCounts('Annotations'),
    whiteList: partCounts('White list entries'),
    undoes: Nullable(text('Id of the import that this one took back; null for an import.', example)),
    undone: Nullable(Timestamp('When it was taken back; null if it was not.', '2026-11-23T10:02:11.456Z')),
    undoable: Type.Boolean({
      description:
        'Whether it is the last import of the catalogue and at most 30 days old. Whether the catalogue changed since is known when an undo is tried.',
      example: true
    })
  },
  { title: 'HistoryEntry', description: 'A change in the history of a catalogue.' }
)
export type HistoryEntry = Static<typeof HistoryEntry>
