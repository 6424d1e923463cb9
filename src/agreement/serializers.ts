import { columnSerializers } from '../db/json/column-serializers.js'
import { jsonObject, quoteLiteral, type Serializer } from '../db/json/serializer.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import type { Party } from './party.schemas.js'
import { partyResource } from './resources.js'
import { contracts, type PartyRow, parties } from './tables.js'

/** A contract with the ids of its buyers, in the contract's order. */
export type ContractRow = Omit<typeof contracts.$inferSelect, 'eventCount' | 'expiryReported'> & {
  buyerIds: readonly string[]
}

const party = columnSerializers<PartyRow>(parties)
const contract = columnSerializers<ContractRow>(contracts)

export const partySerializer: Serializer<PartyRow, Party> = jsonObject({
  id: party.value('id'),
  allowedRoles: party.value('allowedRoles'),
  name: party.value('name'),
  email: party.value('email'),
  organization: party.value('organization')
})

/** The JSON serializer of contracts. */
export const contractSerializer = memoizePerApp(
  ({ resourceUrls }: Pick<Ports, 'resourceUrls'>): Serializer<ContractRow, Contract> => {
    const prefix = resourceUrls.url(partyResource, '')
    return jsonObject({
      id: contract.value('id'),
      name: contract.value('name'),
      validityPeriod: jsonObject({ start: contract.day('firstDay'), end: contract.day('lastDay') }),
      seller: contract.url('sellerId', prefix),
      account: contract.url('accountId', prefix),
      buyer: buyersSerializer(prefix),
      reminderDays: contract.value('reminderDays'),
      expiryReminderDays: contract.value('expiryReminderDays'),
      answerDays: contract.value('answerDays')
    })
  }
)

/** Serializes the URLs of a contract's buyers, which are stored as separate rows. */
function buyersSerializer(prefix: string): Serializer<ContractRow, string[]> {
  const before = quoteLiteral(JSON.stringify(prefix).slice(0, -1))
  return {
    toJson: ({ buyerIds }) => buyerIds.map((id) => `${prefix}${id}`),
    toSql: (alias) => [
      '[',
      {
        expression: `(select string_agg(${before} || b.buyer_id || '"', ',' order by b.position)
          from contract_buyers b where b.contract_id = ${alias}.id)`
      },
      ']'
    ]
  }
}
