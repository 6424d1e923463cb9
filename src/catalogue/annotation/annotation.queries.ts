import { sql } from 'drizzle-orm'
import { partyResource } from '../../agreement/resources.js'
import { writtenColumns } from '../../db/written-columns.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byReference, byText, byWords } from '../../filters/kinds.js'
import { rowQueries } from '../../filters/row-queries.js'
import type { Ports } from '../../ports.js'
import { catalogueResource, itemResource } from '../resources.js'
import { toAnnotation } from '../serializers.js'
import { annotations, catalogueItems } from '../tables.js'

export const annotationFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', annotations.buyerId),
  byReference(
    'catalogue',
    catalogueResource,
    'URL of the catalogue of the items.',
    (id) => sql`${annotations.itemId} in (
      select ${catalogueItems.id} from ${catalogueItems} where ${catalogueItems.catalogueId} = ${id})`
  ),
  byReference('catalogueItem', itemResource, 'URL of the item.', annotations.itemId),
  byText('name', 'The exact name of the annotations.', annotations.name),
  byWords('the name, code and display of the annotation', annotations)
)
export type AnnotationFilters = Given<typeof annotationFilters>

export const annotationQueries = rowQueries({
  id: annotations.id,
  select: (db, where) => db.select(writtenColumns(annotations)).from(annotations).where(where),
  filters: annotationFilters,
  toResource: (ports: Ports, call, row) => toAnnotation(ports, call, row)
})
