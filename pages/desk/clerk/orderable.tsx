import { idOf } from '../../../clients/typescript/src/index.js'
import { Choices } from '../code-fields.js'
import { deskText } from '../desk-texts.js'
import { DeskLink, replaceQuery, type ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { Pager, pageIn } from '../lists/pager.js'
import { joined } from '../resource-texts.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'
import { ItemTable } from './item-table.js'
import { loadItems } from './orderable-items.js'

/**
 * The white list of a buyer: a switch for each item of the catalogues that are open to the buyer.
 */
export function OrderableView({ query }: ViewProps) {
  const { me, partyOf } = useSession()
  const buyers = me.administeredBuyers
  const buyer = buyers.find((url) => idOf(url) === query.get('buyer')) ?? buyers[0] ?? ''
  const name = partyOf(buyer)?.name ?? ''
  const page = pageIn(query)
  const [q, seller] = [query.get('q') ?? '', query.get('seller') ?? '']
  const call = useApi(
    async (session, signal) => (buyer ? loadItems(session, { buyer, seller, q, page }, signal) : null),
    [buyer, seller, q, page]
  )
  // The items of the previous buyer stay while those of the next buyer are loaded.
  const data = (call.data?.buyer ?? '') === buyer ? call.data : undefined
  const { count, sellers = [] } = data ?? {}
  const toBuyer = { buyer: idOf(buyer) }
  const chooseSeller = (id: string) => replaceQuery([], { ...toBuyer, q, seller: id })
  const title = deskText('orderable')
  const buyerChoices = buyers.map((url) => [idOf(url), partyOf(url)?.name ?? ''] as const)
  const sellerChoices = sellers.map((each) => [each.id, each.name] as const)
  const instead = !buyer ? 'parties' : sellers.length === 0 ? 'contracts' : 'catalogues'
  const emptyText = {
    parties: deskText('noBuyers'),
    contracts: deskText('noSellers', { buyer: name }),
    catalogues: deskText(q ? 'noItemsMatch' : 'noItemsHere', { q })
  }[instead]
  return (
    <ListView
      title={title}
      tabTitle={joined(' · ', title, name)}
      call={{ ...call, data }}
      subtitle={
        count !== undefined &&
        deskText(count === 1 ? 'oneWhiteListed' : 'whiteListed', { buyer: name, count })
      }
      filter={
        <>
          <SearchForm label="searchItems" placeholder="searchItemsShort" to={[]} query={query} />
          <Choices
            label="buyer"
            value={idOf(buyer)}
            choices={buyerChoices}
            onChoose={(id) => replaceQuery([], { buyer: id, q })}
          />
          <Choices
            label="seller"
            value={sellers.some(({ id }) => id === seller) ? seller : ''}
            choices={[['', deskText('allSellers')], ...sellerChoices]}
            onChoose={chooseSeller}
          />
        </>
      }
    >
      {(shown) =>
        shown && shown.items.length > 0 ? (
          <>
            <ItemTable key={`${buyer} ${seller} ${q} ${page}`} {...shown} reload={call.reload} />
            <Pager to={[]} query={query} {...shown} count={shown.items.length} />
          </>
        ) : (
          <div class="empty">
            <p role="status">{emptyText}</p>
            <DeskLink to={q ? [] : [instead]} query={q ? toBuyer : {}} class="button quiet">
              {deskText(q ? 'showAll' : instead)}
            </DeskLink>
          </div>
        )
      }
    </ListView>
  )
}
