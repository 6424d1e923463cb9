import type { Contract } from '../../src/agreement/contract.schemas.js'
import type { Party } from '../../src/agreement/party.schemas.js'
import { contracts, type PartyKey, parties, people } from './data.js'
import { heading } from './print.js'
import { findOrCreate, orderApi, type Stage } from './stage.js'

/** URLs of the parties by their keys. */
export type Parties = Record<PartyKey, string>

/** The region's clerk registers the parties and contracts. */
export async function registerParties(stage: Stage): Promise<Parties> {
  const clerk = stage.as('AdministrativeClerk', 'region')
  heading(
    'Parties and contracts',
    `${people.region.AdministrativeClerk}, clerk of ${parties.region.name}, registers them`
  )
  const urls: Partial<Parties> = {}
  for (const key of Object.keys(parties) as PartyKey[]) {
    const { name, allowedRoles, organization } = parties[key]
    urls[key] = await findOrCreate<Party>(stage, clerk, `${name} (${allowedRoles})`, {
      ...{ api: orderApi, noun: 'party', list: 'parties' },
      matches: (each) => each.name === name && each.organization === organization,
      body: parties[key]
    })
  }
  const all = urls as Parties
  for (const row of contracts) {
    const seller = all[row.seller]
    const references = { seller, account: all.accounting, buyer: row.buyer.map((each) => all[each]) }
    await findOrCreate<Contract>(stage, clerk, `Contract with ${parties[row.seller].name}`, {
      ...{ api: orderApi, noun: 'contract', list: `contracts?seller=${encodeURIComponent(seller)}` },
      matches: ({ name }) => name === row.name,
      body: { ...row, ...references }
    })
  }
  return all
}
