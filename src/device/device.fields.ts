import { Type } from '@sinclair/typebox'
import type { Fields } from '../platform/schemas/fields.js'

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
