import { type Static, Type } from '@sinclair/typebox'
import { itemResource } from '../../catalogue/resources.js'
import { exampleCoding, exampleUrl } from '../../platform/schemas/examples.js'
import { eachField, type Fields, responseMembers } from '../../platform/schemas/fields.js'
import { CodingOrCode } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Maybe, Nullable, Strict, Timestamp, Url } from '../../platform/schemas/schemas.js'

/** Maximum characters of a number of a device. */
const MAX_NUMBER_LENGTH = 100

const number = (description: string, example: string) =>
  Type.String({
    description,
    example,
    maxLength: MAX_NUMBER_LENGTH,
    format: 'visible-ascii'
  })

/** The members of a device that its seller writes. */
export const numberFields = {
  serialNumber: { column: 'serialNumber', schema: number('Serial number.', 'SN-4711-0042') },
  lotNumber: { column: 'lotNumber', schema: number('Lot number, also called batch number.', 'L2026-03') },
  udi: {
    column: 'udi',
    schema: number('Unique device identifier (UDI), as scanned.', '(01)05712345678901(21)SN-4711-0042')
  },
  expiryDate: {
    column: 'expiryDate',
    schema: Type.String({ format: 'date', description: 'Expiry date, yyyy-mm-dd.', example: '2029-03-31' })
  }
} as const satisfies Fields

/** Names of {@link numberFields}. */
export const numberNames = Object.keys(numberFields) as (keyof typeof numberFields)[]

/** Codes of device-end-reason that a caller gives. The others follow from order lines. */
export const manualEndReasons: readonly string[] = ['LOST', 'DISCARDED', 'KEPT']

const endReasonExample = exampleCoding('device-end-reason', 'RETURNED', 'Returned')

/** The device of a line in the result of a JSON Patch. */
export const DeviceInput = Maybe(
  Strict({
    item: Type.Optional(Type.Unknown()),
    ...eachField(numberFields, ({ schema }) => Maybe<typeof schema>(schema)),
    from: Type.Optional(Type.Unknown()),
    until: Type.Optional(Type.Unknown()),
    endReason: Maybe(
      CodingOrCode(
        'LOST, DISCARDED or KEPT, as a Coding or as the bare code.',
        exampleCoding('device-end-reason', 'LOST', 'Lost')
      )
    )
  })
)
export type DeviceInput = Static<typeof DeviceInput>

export const Device = Type.Object(
  {
    item: Url('URL of the device model.', exampleUrl(itemResource, 'device')),
    ...responseMembers(numberFields),
    from: Timestamp(
      'Begin of its use: the time when the line was fulfilled (UTC).',
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
    )
  },
  { title: 'Device', description: 'A device that an order line delivered.' }
)
export type Device = Static<typeof Device>

export const RelatedDevice = Type.Object(
  {
    name: Type.String({ description: 'Name of the device model.', example: 'Blodtryksmåler' }),
    manufacturer: Nullable(Type.String({ description: 'Manufacturer.', example: 'A&D' })),
    model: Nullable(Type.String({ description: 'Model.', example: 'UA-767' })),
    ...responseMembers(numberFields)
  },
  { title: 'RelatedDevice', description: 'The device that an order line is about.' }
)
export type RelatedDevice = Static<typeof RelatedDevice>
