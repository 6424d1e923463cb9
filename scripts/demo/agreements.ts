import { contracts, type PartyKey, parties, people } from './data.js'
import { exampleIds } from './example-ids.js'
import { heading } from './print.js'
import { findOrCreate, orderApi, type Stage } from './stage.js'

/** URLs of the parties by their keys. */
export type Parties = Record<PartyKey, string>

/** Each buyer's clerk registers its party; the region's clerk also the sellers and contracts. */
export async function registerParties(stage: Stage): Promise<Parties> {
  const order = clerkOf(stage, 'region')
  heading(
    'Parties and contracts',
    `${people.region.AdministrativeClerk}, clerk of ${parties.region.name}, registers them; other clerks register their own municipality`
  )
  const urls: Partial<Parties> = {}
  for (const key of Object.keys(parties) as PartyKey[]) {
    const { name, allowedRoles, organization } = parties[key]
    urls[key] = await findOrCreate(stage, `${name} (${allowedRoles})`, {
      ...{ api: orderApi, noun: 'party', list: order.listParty({ organization }) },
      matches: (each) => each.name === name && each.organization === organization,
      exampleId: exampleIds[key],
      create: () => clerkOf(stage, key).createParty(parties[key])
    })
  }
  const all = urls as Parties
  for (const row of contracts) {
    const seller = all[row.seller]
    const references = { seller, account: all.accounting, buyer: row.buyer.map((each) => all[each]) }
    await findOrCreate(stage, `Contract with ${parties[row.seller].name}`, {
      ...{ api: orderApi, noun: 'contract', list: order.listContract({ seller }) },
      matches: ({ name }) => name === row.name,
      exampleId: exampleIds[row.name],
      create: () => order.createContract({ ...row, ...references })
    })
  }
  return all
}

/** The clerk who registers a party: of its own organization, for a seller that of the region. */
const clerkOf = (stage: Stage, key: PartyKey) =>
  stage.as('AdministrativeClerk', key === 'aarhus' || key === 'viborg' ? key : 'region').order
