import type { Contract } from '../../src/agreement/contract.schemas.js'
import type { Party } from '../../src/agreement/party.schemas.js'
import { contracts, type PartyKey, parties, people } from './data.js'
import { heading } from './print.js'
import { obtain, orderApi, type Stage } from './stage.js'

/** Addresses of the parties by their names in the story. */
export type Parties = Record<PartyKey, string>

/** The region's clerk registers who buys, sells and pays, and who has a contract with whom. */
export async function agree(stage: Stage): Promise<Parties> {
  const clerk = stage.as('AdministrativeClerk', 'region')
  heading(
    'Parties and contracts',
    `${people.region.AdministrativeClerk}, clerk of ${parties.region.name}, registers them`
  )
  const addresses: Partial<Parties> = {}
  for (const key of Object.keys(parties) as PartyKey[]) {
    const { name, allowedRoles, organization } = parties[key]
    addresses[key] = await obtain<Party>(stage, clerk, `${name} (${allowedRoles})`, {
      ...{ api: orderApi, noun: 'party', list: 'parties' },
      is: (each) => each.name === name && each.organization === organization,
      body: parties[key]
    })
  }
  const all = addresses as Parties
  for (const row of contracts) {
    const seller = all[row.seller]
    const references = { seller, account: all.accounting, buyer: row.buyer.map((each) => all[each]) }
    await obtain<Contract>(stage, clerk, `Contract with ${parties[row.seller].name}`, {
      ...{ api: orderApi, noun: 'contract', list: `contracts?seller=${encodeURIComponent(seller)}` },
      is: ({ name }) => name === row.name,
      body: { ...row, ...references }
    })
  }
  return all
}
