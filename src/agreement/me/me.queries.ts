import { sql } from 'drizzle-orm'
import { statement } from '../../db/sql/statement.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { inForce, viewReadableParties } from '../lookup.js'
import { partyResource } from '../resources.js'
import type { Me } from './me.schemas.js'

type MyParty = { id: string; list: 'parties' | 'sellers' | 'buyers' }

const placeholders = { organization: sql.placeholder('organization'), today: sql.placeholder('today') }

/**
 * Own parties, and their partners in contracts that are in force; all still have their roles. Those
 * that another organization registered come last: a client may use the first one.
 */
const myParties = statement<Record<keyof typeof placeholders, string>, MyParty>(sql`
  with own as (select id, registered_by from parties where organization = ${placeholders.organization}),
    agreed as (
      select seller.id as seller_id, buyer.id as buyer_id
      from contracts
      join contract_buyers on contract_buyers.contract_id = contracts.id
      join parties seller on seller.id = contracts.seller_id and seller.allowed_roles @> '{SELLER}'
      join parties buyer on buyer.id = contract_buyers.buyer_id and buyer.allowed_roles @> '{BUYER}'
      where contracts.id in (
          select id from contracts where seller_id in (select id from own)
          union all select contract_id from contract_buyers where buyer_id in (select id from own))
        and ${inForce(placeholders.today)})
  select id, 'parties' as list, registered_by is distinct from ${placeholders.organization} as is_foreign from own
  union select seller_id, 'sellers', false from agreed where buyer_id in (select id from own)
  union select buyer_id, 'buyers', false from agreed where seller_id in (select id from own)
  order by list, is_foreign, id`)

/**
 * Describes the caller: its token, its parties, and with whom these have contracts today.
 * @param expansion whether to include all of these parties.
 */
export async function viewMe(
  { db, resourceUrls, today }: Ports,
  call: Call,
  expansion?: readonly 'parties'[]
): Promise<Me> {
  const { userType, organization = null, permissions } = call.caller
  const found = organization === null ? [] : await myParties(db, { organization, today: today() })
  const urls = (wanted: MyParty['list']) =>
    found.filter(({ list }) => list === wanted).map(({ id }) => resourceUrls.url(partyResource, id))
  const ids = [...new Set(found.map(({ id }) => id))]
  const included = expansion && (await viewReadableParties({ db }, call, ids))
  return {
    userType,
    organization,
    permissions: [...permissions].sort(),
    parties: urls('parties'),
    sellers: urls('sellers'),
    buyers: urls('buyers'),
    ...(included && {
      expanded: Object.fromEntries(
        included.map((party) => [resourceUrls.url(partyResource, party.id), party])
      )
    })
  }
}
