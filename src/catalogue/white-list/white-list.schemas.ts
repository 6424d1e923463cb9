import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { Reference } from '../../platform/schemas/input-schemas.js'
import { Id, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { itemResource, whiteListResource } from '../resources.js'

const examples = { buyer: exampleUrl(partyResource, 'buyer'), item: exampleUrl(itemResource, 'device') }

const members = {
  buyer: Reference('URL of the buying party.', examples.buyer),
  item: Reference('URL of the catalogue item.', examples.item)
}

export const WhiteListInput = Strict(
  { id: NoId, ...members },
  'Allows a buyer to order an item.',
  'WhiteListInput'
)
export type WhiteListInput = Static<typeof WhiteListInput>

export const WhiteListEntry = Type.Object(
  {
    id: Id(whiteListResource, 'entry'),
    buyer: Url('URL of the buying party.', examples.buyer),
    item: Url('URL of the catalogue item.', examples.item)
  },
  { title: 'WhiteListEntry', description: 'Allows a buyer to order an item.' }
)
export type WhiteListEntry = Static<typeof WhiteListEntry>
