import { type Static, Type } from '@sinclair/typebox'
import { Id, type InputSchemas, NoId, Strict, Url } from '../platform/schemas.js'

export function whiteListSchemas({ Reference }: InputSchemas) {
  const members = {
    buyer: Reference('URL of the buying party.'),
    item: Reference('URL of the catalogue item.')
  }
  return { WhiteListInput: Strict({ id: NoId, ...members }, 'Makes an item orderable to a buyer.') }
}
export type WhiteListInput = Static<ReturnType<typeof whiteListSchemas>['WhiteListInput']>

export const WhiteListEntry = Type.Object(
  { id: Id, buyer: Url('URL of the buying party.'), item: Url('URL of the catalogue item.') },
  { description: 'Makes an item orderable to a buyer.' }
)
export type WhiteListEntry = Static<typeof WhiteListEntry>
