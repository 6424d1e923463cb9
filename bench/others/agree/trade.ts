import { catalogueApi, type Make, orderApi, organization } from './caller.js'

/** The parties, and catalogues of which the buyer can order out of `catalogue` alone. */
export interface Trade {
  buyer: string
  otherBuyer: string
  seller: string
  catalogue: string
  /** One more of the seller, where nobody has put anything yet. */
  further: () => Promise<string>
  /** Of the seller, but a draft; of sellers whose contract is over, not yet begun, and with another buyer. */
  closed: string[]
}

/** Makes parties, contracts and catalogues. */
export async function makeTrade(make: Make): Promise<Trade> {
  const party = (name: string, role: string) =>
    make('clerk', 'POST', `${orderApi}/party`, {
      allowedRoles: [role],
      name,
      organization: organization(name)
    })
  const catalogue = (seller: string, status = 'ACTIVE') =>
    make('clerk', 'POST', `${catalogueApi}/catalogue`, { id: null, seller, name: 'Devices', status })
  const buyer = await party('region', 'BUYER')
  const otherBuyer = await party('other-region', 'BUYER')
  const account = await party('accounting', 'ACCOUNTING')
  const seller = await party('provider', 'SELLER')
  const contract = (seller: string, first: number, last: number, buyers: string[]) =>
    make(buyers.includes(buyer) ? 'clerk' : 'otherClerk', 'POST', `${orderApi}/contract`, {
      name: `${first} to ${last}`,
      validityPeriod: { start: [first, 1, 1], end: [last, 12, 31] },
      seller,
      account,
      buyer: buyers
    })
  await contract(seller, 2020, 2999, [otherBuyer, buyer])
  const closed = [await catalogue(seller, 'DRAFT')]
  for (const [first, last, who] of [
    [2000, 2001, buyer],
    [2998, 2999, buyer],
    [2020, 2999, otherBuyer]
  ] as const) {
    const other = await party(`provider-${first}-${last}`, 'SELLER')
    await contract(other, first, last, [who])
    closed.push(await catalogue(other))
  }
  const open = await catalogue(seller)
  return { buyer, otherBuyer, seller, catalogue: open, further: () => catalogue(seller), closed }
}
