import { Type } from '@sinclair/typebox'
import type { Fields } from '../platform/schemas/fields.js'

const number = (description: string, example: string) =>
  Type.String({ description, example, maxLength: 100, format: 'number-text' })

/** The members of a device that its seller writes. */
export const numberFields = {
  serialNumber: { column: 'serialNumber', schema: number('Serial number.', 'SN-4711-0042') },
  lotNumber: { column: 'lotNumber', schema: number('Lot number, also called batch number.', 'L2026-03') },
  udi: {
    column: 'udi',
    schema: Type.String({
      description:
        'Unique device identifier (UDI), as scanned. The numbers of a GS1 string fill the other members that are null.',
      example: '(01)05712345678909(21)SN-4711-0042',
      maxLength: 250,
      format: 'scanned-text'
    })
  },
  expiryDate: {
    column: 'expiryDate',
    schema: Type.String({
      format: 'day-or-month',
      description: 'Expiry date, yyyy-mm-dd, or its month, yyyy-mm.',
      example: '2029-03-31'
    })
  }
} as const satisfies Fields

export const numberNames = Object.keys(numberFields) as (keyof typeof numberFields)[]
