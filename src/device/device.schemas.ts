import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { snapshotNames } from '../catalogue/item-snapshot.js'
import { itemResource } from '../catalogue/resources.js'
import { exampleCoding, exampleUrl } from '../platform/schemas/examples.js'
import { eachField } from '../platform/schemas/fields.js'
import { CodingOrCode, Reference } from '../platform/schemas/input-schemas.js'
import {
  CodingOf,
  Enum,
  Identifier,
  Maybe,
  Nullable,
  responseMembers,
  Strict,
  Timestamp,
  Url
} from '../platform/schemas/schemas.js'
import { numberFields } from './device.fields.js'
import { numbersOfUdi } from './udi.js'

/** The members of an item as it was ordered or delivered. */
const snapshotMembers = {
  name: Type.String({ description: 'Name.', example: 'Blodtryksmåler' }),
  manufacturer: Nullable(Type.String({ description: 'Manufacturer.', example: 'A&D' })),
  model: Nullable(Type.String({ description: 'Model.', example: 'UA-767' })),
  version: Nullable(Type.String({ description: 'Version.', example: '2' })),
  identifiers: Type.Array(Identifier, { description: 'Identifiers assigned by other systems.' })
} satisfies Record<(typeof snapshotNames)[number], TSchema>

export const OrderedItem = Type.Object(snapshotMembers, {
  title: 'OrderedItem',
  description:
    'The catalogue item as it was when the order was submitted. Later changes of the catalogue have no effect. Null in a draft.'
})

const endReasonExample = exampleCoding('device-end-reason', 'RETURNED', 'Returned')

/** The device of a line in the result of a JSON Patch. */
export const DeviceInput = Maybe(
  Strict({
    item: Maybe(
      Reference(
        'URL of the device model. The provider changes it in the JSON Patch that fulfils the line.',
        exampleUrl(itemResource, 'device')
      )
    ),
    isOrderable: Type.Optional(Type.Unknown()),
    ...eachField(snapshotMembers, () => Type.Optional(Type.Unknown())),
    ...eachField(numberFields, ({ schema }) => Maybe<typeof schema>(schema)),
    differsFromUdi: Type.Optional(Type.Unknown()),
    from: Type.Optional(Type.Unknown()),
    until: Type.Optional(Type.Unknown()),
    alsoInUse: Type.Optional(Type.Unknown()),
    endReason: Maybe(
      CodingOrCode(
        'LOST, DISCARDED, KEPT or ENTERED_IN_ERROR, as a Coding or as the bare code.',
        exampleCoding('device-end-reason', 'LOST', 'Lost')
      )
    )
  })
)
export type DeviceInput = Static<typeof DeviceInput>

export const Device = Type.Object(
  {
    item: Url('URL of the device model.', exampleUrl(itemResource, 'device')),
    isOrderable: Type.Optional(
      Type.Boolean({
        description:
          'False if the provider delivered another model that the buyer could not have ordered at that time. Only the buyer reads it. Absent otherwise.',
        example: false
      })
    ),
    ...snapshotMembers,
    ...responseMembers(numberFields),
    differsFromUdi: Type.Array(Enum(numbersOfUdi, 'Name of a member.'), {
      description: 'The numbers that differ from those in the UDI, a GS1 string. They stay as they were sent.'
    }),
    from: Timestamp(
      'Start of its use: `performedAt` of the line or, without it, the time when the line was fulfilled (UTC).',
      '2026-03-04T09:12:00.000Z'
    ),
    until: Nullable(
      Timestamp('End of its use (UTC). Null while the device is in use.', '2026-09-01T10:30:00.000Z')
    ),
    endReason: Nullable(
      CodingOf(
        'Why its use ended, from the value set device-end-reason. Null while the device is in use.',
        endReasonExample
      )
    ),
    alsoInUse: Type.Optional(
      Type.Boolean({
        description:
          'A hint that a number may be wrong: another patient has a device of this model with this serial number in use, in an order of the caller’s organization. Absent otherwise, and in details.',
        example: true
      })
    )
  },
  { title: 'Device', description: 'A device that an order line delivered, with its model at that time.' }
)
export type Device = Static<typeof Device>

export const RelatedDevice = Type.Object(
  {
    ...snapshotMembers,
    ...responseMembers(numberFields),
    endReason: Nullable(
      CodingOf(
        'RETURNED or REPLACED if this line ended the use of the device, otherwise null.',
        endReasonExample
      )
    )
  },
  { title: 'RelatedDevice', description: 'The device that an order line is about.' }
)
export type RelatedDevice = Static<typeof RelatedDevice>
