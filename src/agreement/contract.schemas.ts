import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { DateInput as DateForm } from '../platform/calendar-date.js'
import { Id, type InputSchemas, Maybe, NoId, Nullable, Strict, Url } from '../platform/schemas.js'

const DateInput = (description: string) =>
  Type.Unsafe<DateForm>({
    type: ['array', 'string'],
    items: { type: 'integer' },
    minItems: 3,
    maxItems: 3,
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description
  })

const DateOutput = (description: string) =>
  Type.Unsafe<[number, number, number]>({ type: 'array', items: { type: 'integer' }, description })

const period = <T extends TSchema>(of: (description: string) => T) =>
  Strict(
    { start: of('First day, [year, month, day].'), end: of('Last day, [year, month, day]; included.') },
    'Days on which the contract is in force.'
  )

export function contractSchemas({ Text, Reference }: InputSchemas, maxBuyers: number) {
  const members = {
    name: Text('Name of the contract.'),
    validityPeriod: period(DateInput),
    seller: Reference('URL of the party that delivers.'),
    account: Reference('URL of the accounting party.'),
    buyer: Type.Array(Reference('URL of a buying party.'), {
      minItems: 1,
      maxItems: maxBuyers,
      description: 'URLs of the parties that may order.'
    }),
    reminderDays: Maybe(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description: 'Days before the end at which the contract shows up as expiring.'
      })
    )
  }
  return {
    ContractInput: Strict({ id: NoId, ...members }, 'An agreement that lets a provider deliver to buyers.'),
    ContractReplacement: Strict({ id: Maybe(Text('Id of the contract.')), ...members }, 'A contract, whole.')
  }
}
export type ContractInput = Omit<Static<ReturnType<typeof contractSchemas>['ContractInput']>, 'id'>

export const Contract = Type.Object(
  {
    id: Id,
    name: Type.String({ description: 'Name of the contract.' }),
    validityPeriod: period(DateOutput),
    seller: Url('URL of the party that delivers.'),
    account: Url('URL of the accounting party.'),
    buyer: Type.Array(Url('URL of a buying party.'), { description: 'URLs of the parties that may order.' }),
    reminderDays: Nullable(
      Type.Integer({ description: 'Days before the end at which the contract shows up as expiring.' })
    )
  },
  { description: 'An agreement that lets a provider deliver to buyers.' }
)
export type Contract = Static<typeof Contract>
