import { contracts, type PartyKey, parties, people } from './data.js'
import { heading } from './print.js'
import { findOrCreate, orderApi, type Stage } from './stage.js'

/** URLs of the parties by their keys. */
export type Parties = Record<PartyKey, string>

/** The region's clerk registers the parties and contracts. */
export async function registerParties(stage: Stage): Promise<Parties> {
  const { order } = stage.as('AdministrativeClerk', 'region')
  heading(
    'Parties and contracts',
    `${people.region.AdministrativeClerk}, clerk of ${parties.region.name}, registers them`
  )
  const urls: Partial<Parties> = {}
  for (const key of Object.keys(parties) as PartyKey[]) {
    const { name, allowedRoles, organization } = parties[key]
    urls[key] = await findOrCreate(stage, `${name} (${allowedRoles})`, {
      ...{ api: orderApi, noun: 'party', list: order.listParty({ organization }) },
      matches: (each) => each.name === name && each.organization === organization,
      create: () => order.createParty(parties[key])
    })
  }
  const all = urls as Parties
  for (const row of contracts) {
    const seller = all[row.seller]
    const references = { seller, account: all.accounting, buyer: row.buyer.map((each) => all[each]) }
    await findOrCreate(stage, `Contract with ${parties[row.seller].name}`, {
      ...{ api: orderApi, noun: 'contract', list: order.listContract({ seller }) },
      matches: ({ name }) => name === row.name,
      create: () => order.createContract({ ...row, ...references })
    })
  }
  return all
}
