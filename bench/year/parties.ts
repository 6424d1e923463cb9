import { day, idAt, makerName, type Random, type Size, townName, yearBegins } from './random.js'
import type { TableWriter } from './tables.js'

export interface Party {
  id: string
  name: string
  organization: string
}

/** The trade relations. */
export interface Market {
  buyers: readonly Party[]
  sellers: readonly Party[]
  /** The buyers with a contract in force with a seller, by seller id. */
  customers: ReadonlyMap<string, readonly Party[]>
}

const before = yearBegins - 30 * day

/** Writes parties and contracts: each seller has one with every second buyer; a few have ended. */
export function writeMarket(
  random: Random,
  size: Size,
  to: Readonly<Record<'parties' | 'contracts' | 'contractBuyers', TableWriter>>
): Market {
  const make = (role: string, count: number, name: (at: number) => string): Party[] =>
    Array.from({ length: count }, (_, at) => {
      const organization = `https://fhir.example/Organization/${role.toLowerCase()}-${at}`
      const party = { id: idAt(random, before + at), name: name(at), organization }
      to.parties.write([
        party.id,
        [role],
        party.name,
        `${role}${at}@mail.example`,
        organization,
        new Date(before)
      ])
      return party
    })
  const buyers = make('BUYER', size.buyers, (at) => `${townName(random)} Kommune ${at}`)
  const sellers = make('SELLER', size.sellers, (at) => `${makerName(random)} ${at} A/S`)
  const accounts = make('ACCOUNTING', size.accounts, (at) => `Regnskab ${at}`)
  const customers = new Map<string, Party[]>()
  for (const seller of sellers) {
    const running = contract(random, to, seller, random.pick(accounts), '2099-12-31', buyers)
    customers.set(seller.id, running)
    if (random.chance(0.3)) contract(random, to, seller, random.pick(accounts), '2024-12-31', buyers)
  }
  return { buyers, sellers, customers }
}

function contract(
  random: Random,
  to: Readonly<Record<'contracts' | 'contractBuyers', TableWriter>>,
  seller: Party,
  account: Party,
  lastDay: string,
  buyers: readonly Party[]
): Party[] {
  const id = idAt(random, before)
  to.contracts.write([
    id,
    `Aftale med ${seller.name}`,
    '2024-01-01',
    lastDay,
    seller.id,
    account.id,
    30,
    new Date(before)
  ])
  const drawn = buyers.filter(() => random.chance(0.5))
  // Every seller has at least two buyers, even in the smallest year.
  const chosen = drawn.length > 1 ? drawn : buyers.slice(0, 2)
  for (const [position, buyer] of chosen.entries()) to.contractBuyers.write([id, position, buyer.id])
  return chosen
}
