import { useState } from 'preact/hooks'
import type { CatalogueItem, ItemOrderability, OrderLine } from '../../clients/typescript/src/index.js'
import { Loaded } from '../../pages/parts/loaded.js'
import { CodeOptions } from './code-options.js'
import { deskText } from './desk-texts.js'
import { replaceQuery } from './links.js'
import { joined } from './resource-texts.js'
import { RowTable } from './row-table.js'
import { SearchForm } from './search-form.js'
import { useApi, useSession } from './session.js'

export type LineAction = OrderLine['action']['code']

/** An item that was found, its URL, and why it cannot be ordered. */
export interface FoundItem {
  item: CatalogueItem
  url: string
  reasons: ItemOrderability['reasons']
}

interface ItemSearchProps {
  patient: string
  buyer: string
  /** The only seller, if there is a line already. */
  seller: string | undefined
  query: URLSearchParams
  onAdd(found: FoundItem, action: LineAction): void
}

/** Searches what can be ordered for a patient. */
export function ItemSearch({ patient, buyer, seller, query, onAdd }: ItemSearchProps) {
  const { partyOf } = useSession()
  const q = query.get('q') ?? ''
  const isAll = query.has('all')
  const call = useApi(
    async ({ client, urlOf }, signal): Promise<FoundItem[]> => {
      const wanted = { limit: 50, ...(q && { q }), ...(seller && { seller }), ...(!isAll && { buyer }) }
      const { entries } = await client.catalogue.listCatalogueItem(wanted, { signal }).first()
      const items = entries.map((item) => urlOf.item(item))
      const answers = await client.order.checkOrderability({ buyer, patient, items }, { signal })
      return entries.map((item, at) => ({ item, url: items[at] ?? '', reasons: answers[at]?.reasons ?? [] }))
    },
    [patient, buyer, seller, q, isAll]
  )
  const { all, ...others } = Object.fromEntries(query)
  const toggle = () => replaceQuery(['new', patient], isAll ? others : { ...others, all: '' })
  const rows = (items: readonly FoundItem[]) =>
    items.map((found) => [
      <>
        {found.item.name}
        <small>{joined(' · ', found.item.manufacturer, found.item.model, found.item.description)}</small>
      </>,
      partyOf(found.item.seller ?? '')?.name,
      <ItemAction key={found.url} found={found} onAdd={onAdd} />
    ])

  return (
    <>
      <h3>{deskText('findItems')}</h3>
      <SearchForm label="item" to={['new', patient]} query={query} />
      <label>
        <input type="checkbox" checked={isAll} onChange={toggle} /> {deskText('showUnorderable')}
      </label>
      <Loaded call={call}>
        {(items) => (
          <RowTable
            label="findItems"
            heads={['item', 'seller', 'actions']}
            rows={rows(items)}
            none="noItems"
          />
        )}
      </Loaded>
    </>
  )
}

/** Chooses what to do with an item, or says why it cannot be ordered. */
function ItemAction({ found, onAdd }: Pick<ItemSearchProps, 'onAdd'> & { found: FoundItem }) {
  const actions = useSession().codes['order-line-action']
  const { item, reasons } = found
  const [action, setAction] = useState(usualAction(item))
  if (reasons.length > 0) return <>{reasons.map(({ detail }) => `✗ ${detail}`).join(' ')}</>
  return (
    <span class="row">
      {item.catalogueItemType === 'Service' ? (
        actions.get(action)
      ) : (
        <select
          aria-label={`${deskText('action')}: ${item.name}`}
          value={action}
          onChange={({ currentTarget }) => setAction(currentTarget.value as LineAction)}
        >
          <CodeOptions codes={actions} />
        </select>
      )}
      <button
        type="button"
        aria-label={`${deskText('add')}: ${item.name}`}
        onClick={() => onAdd(found, action)}
      >
        {deskText('add')}
      </button>
    </span>
  )
}

/** The action of a service; devices are mostly delivered. */
function usualAction({ serviceType }: CatalogueItem): LineAction {
  const code = serviceType?.code ?? 'DELIVER'
  return code === 'RE-TRAINING' ? 'TRAINING' : code
}
