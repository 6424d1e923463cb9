import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { DateInput as DateForm } from '../platform/dates/calendar-date.js'
import { inputLimits } from '../platform/json/input-limits.js'
import { exampleUrl } from '../platform/schemas/examples.js'
import { Reference, Text } from '../platform/schemas/input-schemas.js'
import { Id, Maybe, NoId, Nullable, Strict, Url } from '../platform/schemas/schemas.js'
import { contractResource, partyResource } from './resources.js'

const examples = {
  name: 'Rammeaftale om måleudstyr til hjemmemonitorering',
  seller: exampleUrl(partyResource, 'seller'),
  account: exampleUrl(partyResource, 'account'),
  buyer: exampleUrl(partyResource, 'buyer')
}

/** The nullable numbers of days of a contract. */
const numbersOfDays = {
  reminderDays: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    description:
      'Number of days before the day of an agreed delivery from which the event order-line.delivery-due reminds of it. The lowest number of the contracts in force between the parties applies.',
    example: 7
  }),
  expiryReminderDays: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    description:
      'Number of days before the end from which the contract counts as expiring. Null: as reminderDays.',
    example: 180
  }),
  answerDays: Type.Integer({
    minimum: 1,
    maximum: 365,
    description:
      'Number of days, of 24 hours each, after which a submitted order without an answer counts as UNANSWERED. The lowest number of the contracts in force between the parties applies. Null: the setting of the service applies.',
    example: 2
  })
}

type Day = [year: number, month: number, day: number]

const Part = Type.Integer({ description: 'Year, month (1 to 12) or day (1 to 31).' })

const DateInput = (description: string, example: Day) =>
  Type.Unsafe<DateForm>({
    type: ['array', 'string'],
    items: Part,
    minItems: 3,
    maxItems: 3,
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description: `${description} Or a string, yyyy-mm-dd.`,
    example
  })

const DateOutput = (description: string, example: Day) =>
  Type.Unsafe<Day>({ type: 'array', items: Part, description, example })

const period = <T extends TSchema>(title: string, of: (description: string, example: Day) => T) =>
  Strict(
    {
      start: of('First day, [year, month, day].', [2026, 1, 1]),
      end: of('Last day, [year, month, day], inclusive.', [2029, 12, 31])
    },
    'Days on which the contract is in force.',
    title
  )

const members = {
  name: Text('Name of the contract.', examples.name),
  validityPeriod: period('PeriodInput', DateInput),
  seller: Reference('URL of the delivering party. It has the role SELLER.', examples.seller),
  account: Reference('URL of the paying party. It has the role ACCOUNTING.', examples.account),
  buyer: Type.Array(Reference('URL of a buying party. It has the role BUYER.', examples.buyer), {
    minItems: 1,
    maxItems: inputLimits.list,
    description: 'URLs of the parties that may order.'
  }),
  reminderDays: Maybe(numbersOfDays.reminderDays),
  expiryReminderDays: Maybe(numbersOfDays.expiryReminderDays),
  answerDays: Maybe(numbersOfDays.answerDays)
}
export const ContractInput = Strict(
  { id: NoId, ...members },
  'An agreement under which a provider delivers to buyers.',
  'ContractInput'
)

export type ContractInput = Omit<Static<typeof ContractInput>, 'id'>

export const Contract = Type.Object(
  {
    id: Id(contractResource, 'frame'),
    name: Type.String({ description: 'Name of the contract.', example: examples.name }),
    validityPeriod: period('Period', DateOutput),
    seller: Url('URL of the delivering party.', examples.seller),
    account: Url('URL of the paying party.', examples.account),
    buyer: Type.Array(Url('URL of a buying party.', examples.buyer), {
      description: 'URLs of the parties that may order.'
    }),
    reminderDays: Nullable(numbersOfDays.reminderDays),
    expiryReminderDays: Type.Optional(Nullable(numbersOfDays.expiryReminderDays)),
    answerDays: Type.Optional(Nullable(numbersOfDays.answerDays))
  },
  { title: 'Contract', description: 'An agreement under which a provider delivers to buyers.' }
)
export type Contract = Static<typeof Contract>
