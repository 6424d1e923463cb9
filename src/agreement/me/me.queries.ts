import { sql } from 'drizzle-orm'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { inForce } from '../lookup.js'
import { viewReadableParties } from '../party.queries.js'
import { partyResource } from '../resources.js'
import { isLimitedClerk, partyIdsAdministeredBy } from '../visibility.js'
import type { Me } from './me.schemas.js'

/**
 * Describes the caller: its token, its parties, their contract partners today, and the parties that
 * it administers.
 * @param expansion whether to include all of these parties.
 */
export async function viewMe(ports: Ports, call: Call, expansion?: readonly 'parties'[]): Promise<Me> {
  const { userType, organization = null, permissions } = call.caller
  const isClerk = userType === 'AdministrativeClerk'
  const found = organization === null ? [] : await findParties(ports, organization, isClerk)
  const urlOf = (id: string) => ports.resourceUrls.url(partyResource, id)
  const urls = (wanted: List) => found.filter(({ list }) => list === wanted).map(({ id }) => urlOf(id))
  const ids = [...new Set(found.map(({ id }) => id))]
  const included = expansion && (await viewReadableParties(ports, call, ids))
  return {
    userType,
    organization,
    permissions: [...permissions].sort(),
    parties: urls('parties'),
    sellers: urls('sellers'),
    buyers: urls('buyers'),
    administeredSellers: isClerk && !isLimitedClerk(call) ? null : urls('administeredSellers'),
    administeredBuyers: urls('administeredBuyers'),
    ...(included && { expanded: Object.fromEntries(included.map((party) => [urlOf(party.id), party])) })
  }
}

type List = 'parties' | 'sellers' | 'buyers' | 'administeredSellers' | 'administeredBuyers'

/**
 * Finds the parties of an organization, their partners in contracts in force, and the sellers and
 * buyers that a clerk of the organization administers. The parties of these contracts have their
 * roles. Parties that another organization registered come last: a client may use the first party.
 */
const findParties = ({ db, today }: Pick<Ports, 'db' | 'today'>, organization: string, isClerk: boolean) =>
  db.execute<{ id: string; list: List }>(sql`
    with own as (select id, registered_by from parties where organization = ${organization}),
      agreed as (
        select seller.id as seller_id, buyer.id as buyer_id
        from contracts
        join contract_buyers on contract_buyers.contract_id = contracts.id
        join parties seller on seller.id = contracts.seller_id and seller.allowed_roles @> '{SELLER}'
        join parties buyer on buyer.id = contract_buyers.buyer_id and buyer.allowed_roles @> '{BUYER}'
        where contracts.id in (
            select id from contracts where seller_id in (select id from own)
            union all select contract_id from contract_buyers where buyer_id in (select id from own))
          and ${inForce(today())}),
      administered as (
        select id, allowed_roles from parties
        where ${isClerk} and id in ${partyIdsAdministeredBy(db, organization)})
    select id, 'parties' as list, registered_by is distinct from ${organization} as is_foreign from own
    union select seller_id, 'sellers', false from agreed where buyer_id in (select id from own)
    union select buyer_id, 'buyers', false from agreed where seller_id in (select id from own)
    union select id, 'administeredSellers', false from administered where allowed_roles @> '{SELLER}'
    union select id, 'administeredBuyers', false from administered where allowed_roles @> '{BUYER}'
    order by list, is_foreign, id`)
