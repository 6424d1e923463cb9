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
    const { name, allowedRoles } = parties[key]
    const create = { path: `${orderApi}/party/`, body: parties[key] }
    addresses[key] = await obtain(stage, clerk, `party ${key}`, `${name} (${allowedRoles})`, create)
  }
  const all = addresses as Parties
  for (const { key, ...row } of contracts) {
    const references = {
      seller: all[row.seller],
      account: all.accounting,
      buyer: row.buyer.map((each) => all[each])
    }
    const create = { path: `${orderApi}/contract/`, body: { ...row, ...references } }
    await obtain(stage, clerk, `contract ${key}`, `Contract with ${parties[row.seller].name}`, create)
  }
  return all
}
