import { type Static, Type } from '@sinclair/typebox'
import { Id, type InputSchemas, NoId, Strict, Url } from '../platform/schemas.js'

export function blackListSchemas({ Reference }: InputSchemas) {
  const members = {
    patient: Reference('URL of the clinical Patient.'),
    item: Reference('URL of the catalogue item.')
  }
  return { BlackListInput: Strict({ id: NoId, ...members }, 'Makes an item non-orderable for a patient.') }
}
export type BlackListInput = Static<ReturnType<typeof blackListSchemas>['BlackListInput']>

export const BlackListEntry = Type.Object(
  { id: Id, patient: Url('URL of the clinical Patient.'), item: Url('URL of the catalogue item.') },
  { description: 'Makes an item non-orderable for a patient.' }
)
export type BlackListEntry = Static<typeof BlackListEntry>
