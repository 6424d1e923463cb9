import { partyResource } from '../../agreement/resources.js'
import { type Given, listFilters } from '../../filters/filter.js'
import { byReference } from '../../filters/kinds.js'
import { rowQueries } from '../../filters/row-queries.js'
import type { Ports } from '../../ports.js'
import { itemResource } from '../resources.js'
import { toWhiteListEntry } from '../serializers.js'
import { whiteListEntries } from '../tables.js'

export const whiteListFilters = listFilters(
  byReference('buyer', partyResource, 'URL of the buying party.', whiteListEntries.buyerId),
  byReference('item', itemResource, 'URL of the catalogue item.', whiteListEntries.itemId)
)
export type WhiteListFilters = Given<typeof whiteListFilters>

export const whiteListQueries = rowQueries({
  id: whiteListEntries.id,
  select: (db, where) => db.select().from(whiteListEntries).where(where),
  filters: whiteListFilters,
  toResource: (ports: Ports, _call, row) => toWhiteListEntry(ports, row)
})
