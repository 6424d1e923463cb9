import { columnSerializers } from '../db/json/column-serializers.js'
import { jsonObject, quoteLiteral, type Serializer } from '../db/json/serializer.js'
import { memoizePerApp } from '../platform/util/memoize-per-app.js'
import type { Ports } from '../ports.js'
import type { Contract } from './contract.schemas.js'
import type { PartyRow } from './lookup.js'
import type { Party } from './party.schemas.js'
import { partyKind } from './resources.js'
import { contracts, parties } from './tables.js'

/** A contract with the ids of its buyers, in their order. */
export type ContractRow = typeof contracts.$inferSelect & { buyerIds: readonly string[] }

const party = columnSerializers<PartyRow>(parties)
const contract = columnSerializers<ContractRow>(contracts)

export const partySerializer: Serializer<PartyRow, Party> = jsonObject({
  id: party.value('id'),
  allowedRoles: party.value('allowedRoles'),
  name: party.value('name'),
  email: party.value('email'),
  organization: party.value('organization')
})

/** The wire form of contracts. */
export const contractSerializer = memoizePerApp(
  ({ references }: Pick<Ports, 'references'>): Serializer<ContractRow, Contract> => {
    const prefix = references.url(partyKind, '')
    return jsonObject({
      id: contract.value('id'),
      name: contract.value('name'),
      validityPeriod: jsonObject({ start: contract.day('firstDay'), end: contract.day('lastDay') }),
      seller: contract.url('sellerId', prefix),
      account: contract.url('accountId', prefix),
      buyer: buyersForm(prefix),
      reminderDays: contract.value('reminderDays')
    })
  }
)

/** The addresses of a contract's buyers, which are rows of their own. */
function buyersForm(prefix: string): Serializer<ContractRow, string[]> {
  const each = (alias: string, value: string) =>
    `(select ${value} from contract_buyers b where b.contract_id = ${alias}.id)`
  const json = JSON.stringify(prefix)
  const [before, after] = [quoteLiteral(json.slice(0, -1)), quoteLiteral('"')]
  return {
    toJson: ({ buyerIds }) => buyerIds.map((id) => `${prefix}${id}`),
    toSql: (alias) => [
      '[',
      {
        expression: each(
          alias,
          `string_agg(concat(${before}, b.buyer_id, ${after}), ',' order by b.position)`
        )
      },
      ']'
    ],
    size: (alias) => ({
      fixed: '[]'.length,
      varying: [each(alias, `count(*) * ${Buffer.byteLength(json) + 36 + ','.length}`)]
    })
  }
}
