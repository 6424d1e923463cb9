import type { Contract, Party } from '../../../clients/typescript/src/index.js'
import { byName, readList } from '../../parts/list.js'
import { fullDatesText, today } from '../../parts/texts.js'
import { type DeskTextKey, deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, type ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { PagedTable } from '../lists/pager.js'
import { Tabs } from '../lists/tabs.js'
import { type Session, useApi } from '../session.js'

/** The lists of contracts, each with the text of the empty list. */
const lists = {
  inForce: 'noInForce',
  expiring: 'noExpiring',
  coming: 'noComing',
  over: 'noOver'
} as const satisfies Readonly<Record<string, DeskTextKey>>
type ListName = keyof typeof lists

/** The contracts of the user's organization: a tab for each list. */
export function ContractsView({ query }: ViewProps) {
  const call = useApi(loadContracts, [])
  const wanted = query.get('list') as ListName
  const name = lists[wanted] ? wanted : 'inForce'
  const found = call.data?.found
  return (
    <ListView
      title={deskText('contracts')}
      tabTitle={`${deskText(name)} (${found?.[name].length ?? '…'}) – ${deskText('contracts')}`}
      call={call}
      actions={<NewContractLink />}
      tabs={
        <Tabs
          to={['contracts']}
          tabs={(Object.keys(lists) as ListName[]).map((each) => ({
            name: each,
            colour: each === 'expiring' ? 'amber' : undefined,
            count: found?.[each].length
          }))}
          current={name}
        />
      }
    >
      {({ partyOf, found }) => (
        <PagedTable
          table={{
            label: deskText(name),
            heads: deskTextsOf('contract', 'seller', 'buyers', 'period'),
            none: deskText(lists[name]),
            instead: <NewContractLink isQuiet />
          }}
          entries={found[name]}
          rowOf={(contract) => contractRow(contract, partyOf)}
          to={['contracts']}
          query={query}
        />
      )}
    </ListView>
  )
}

const NewContractLink = ({ isQuiet = false }) => (
  <DeskLink to={['contract', 'new']} class={isQuiet ? 'button quiet' : 'button'}>
    {deskText('newContract')}
  </DeskLink>
)

const contractRow = (
  { id, name, seller, buyer, validityPeriod: { start, end } }: Contract,
  partyOf: ReadonlyMap<string, Party>
) => [
  <DeskLink key={id} to={['contract', id]}>
    {name}
  </DeskLink>,
  partyOf.get(seller)?.name,
  buyer.map((url) => <div key={url}>{partyOf.get(url)?.name}</div>),
  fullDatesText(dayOf(start), dayOf(end))
]

/** A day in the form of a field, `yyyy-mm-dd`. */
export const dayOf = ([year, month, day]: readonly number[]): string =>
  [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

/** Whether a contract is in force today. */
export const isInForce = ({ validityPeriod: { start, end } }: Contract): boolean =>
  dayOf(start) <= today() && today() <= dayOf(end)

/** All parties by their URLs, in the order of their names. */
export async function loadParties({ client, urlOf }: Session, signal: AbortSignal) {
  const { entries } = await readList((limit) => client.order.listParty({ limit }, { signal }))
  return new Map(entries.toSorted(byName).map((party) => [urlOf.party(party), party]))
}

/** The contracts of the user's organization in each list, and the parties. */
async function loadContracts(session: Session, signal: AbortSignal) {
  const { client, me } = session
  // A clerk who administers all sellers administers every contract.
  const scopes = me.administeredSellers
    ? me.parties.flatMap((url) => [{ buyer: url }, { account: url }])
    : [{}]
  const listOf = async (more: object): Promise<Contract[]> => {
    const parts = await Promise.all(
      scopes.map((scope) =>
        readList((limit) => client.order.listContract({ ...scope, ...more, limit }, { signal }))
      )
    )
    const byId = new Map(parts.flatMap(({ entries }) => entries).map((each) => [each.id, each]))
    return [...byId.values()].sort(byName)
  }
  const [all, expiring, partyOf] = await Promise.all([
    listOf({}),
    listOf({ expiring: true }),
    loadParties(session, signal)
  ])
  const coming = all.filter(({ validityPeriod }) => dayOf(validityPeriod.start) > today())
  const over = all.filter(({ validityPeriod }) => dayOf(validityPeriod.end) < today())
  return { partyOf, found: { inForce: all.filter(isInForce), expiring, coming, over } }
}
