import { useState } from 'preact/hooks'
import type { CatalogueItem, ItemOrderability, OrderLine } from '../../clients/typescript/src/index.js'
import { ListEnd, type ListPart, readList } from '../parts/list.js'
import { Loaded } from '../parts/loaded.js'
import { DataTable } from '../parts/table.js'
import { CodeOptions } from './code-fields.js'
import { deskText, deskTextsOf } from './desk-texts.js'
import { replaceQuery } from './links.js'
import { joined } from './resource-texts.js'
import { SearchForm } from './search-form.js'
import { useApi, useSession } from './session.js'

export type LineAction = OrderLine['action']['code']

/** An item that was found, its URL, and the reason why it cannot be ordered. */
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

/** Items that are shown at first, and with each further step. */
const STEP = 50

/** Searches the items that can be ordered for a patient. */
export function ItemSearch({ patient, buyer, seller, query, onAdd }: ItemSearchProps) {
  const { partyOf } = useSession()
  const q = query.get('q') ?? ''
  const isAll = query.has('all')
  const [size, setSize] = useState(STEP)
  const call = useApi(
    async ({ client, urlOf }, signal): Promise<ListPart<FoundItem>> => {
      const wanted = { ...(q && { q }), ...(seller && { seller }), ...(!isAll && { buyer }) }
      const listOf = (limit: number) => client.catalogue.listCatalogueItem({ ...wanted, limit }, { signal })
      const page = await readList(listOf, size)
      const found: FoundItem[] = []
      for (let at = 0; at < page.entries.length; at += 1000) {
        const entries = page.entries.slice(at, at + 1000)
        const items = entries.map((item) => urlOf.item(item))
        const answers = await client.order.checkOrderability({ buyer, patient, items }, { signal })
        for (const [n, item] of entries.entries())
          found.push({ item, url: items[n] ?? '', reasons: answers[n]?.reasons ?? [] })
      }
      return { ...page, entries: found, page: undefined }
    },
    [patient, buyer, seller, q, isAll],
    [size]
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
      <div class="filter">
        <SearchForm label="item" to={['new', patient]} query={query} />
        <label>
          <input type="checkbox" checked={isAll} onChange={toggle} /> {deskText('showUnorderable')}
        </label>
      </div>
      <Loaded call={call}>
        {(page) => (
          <>
            <DataTable
              label={deskText('findItems')}
              heads={deskTextsOf('item', 'seller', 'actions')}
              rows={rows(page.entries)}
              none={deskText('noItems')}
            />
            <ListEnd page={page} onMore={() => setSize(size + STEP)} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** Chooses the action for an item, or says why the item cannot be ordered. */
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
        class="quiet"
        aria-label={`${deskText('add')}: ${item.name}`}
        onClick={() => onAdd(found, action)}
      >
        {deskText('add')}
      </button>
    </span>
  )
}

/** The action of a service; devices are mostly delivered. */
export function usualAction({ serviceType }: CatalogueItem): LineAction {
  const code = serviceType?.code ?? 'DELIVER'
  return code === 'RE-TRAINING' ? 'TRAINING' : code
}
