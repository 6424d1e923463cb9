import { type Static, Type } from '@sinclair/typebox'
import { exampleClinicalUrl, exampleUrl } from '../../platform/schemas/examples.js'
import { Reference } from '../../platform/schemas/input-schemas.js'
import { Id, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { blackListResource, itemResource } from '../resources.js'

const examples = {
  patient: exampleClinicalUrl('Patient', 'asta-opdigtet'),
  item: exampleUrl(itemResource, 'oximeter')
}

export const BlackListInput = Strict(
  {
    id: NoId,
    patient: Reference('URL of the clinical Patient.', examples.patient),
    item: Reference('URL of the catalogue item.', examples.item)
  },
  'Forbids ordering an item for a patient.',
  'BlackListInput'
)
export type BlackListInput = Static<typeof BlackListInput>

export const BlackListEntry = Type.Object(
  {
    id: Id(blackListResource, 'entry'),
    patient: Url('URL of the clinical Patient.', examples.patient),
    item: Url('URL of the catalogue item.', examples.item)
  },
  { title: 'BlackListEntry', description: 'Forbids ordering an item for a patient.' }
)
export type BlackListEntry = Static<typeof BlackListEntry>
