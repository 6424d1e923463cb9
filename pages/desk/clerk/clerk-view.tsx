import { ContractView } from './contract.js'
import { ContractsView } from './contracts.js'
import { OrderableView } from './orderable.js'
import { PartiesView, PartyView } from './parties.js'

/** A view of clerks, by the first segment of the fragment of the URL. */
export function ClerkView({ name, id, query }: { name: string; id: string; query: URLSearchParams }) {
  if (name === 'contracts') return <ContractsView query={query} />
  if (name === 'contract') return <ContractView key={id} id={id} />
  if (name === 'parties') return <PartiesView query={query} />
  if (name === 'party') return <PartyView key={id} id={id} />
  return <OrderableView query={query} />
}
