import { useState } from 'preact/hooks'
import { idOf } from '../../../clients/typescript/src/index.js'
import { entryErrorsOf } from '../../parts/errors.js'
import { Loaded } from '../../parts/loaded.js'
import { DataTable } from '../../parts/table.js'
import { showToast } from '../../parts/toasts.js'
import { Choices } from '../choices.js'
import { deskText } from '../desk-texts.js'
import { DeskLink, replaceQuery } from '../links.js'
import { Pager, pageIn } from '../pager.js'
import { joined } from '../resource-texts.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'
import { ViewHead } from '../view-head.js'
import { loadItems, type OrderableItem } from './orderable-items.js'

/** What a buyer may order: a switch for each item of the catalogues that are open to the buyer. */
export function OrderableView({ query }: { query: URLSearchParams }) {
  const { me, partyOf } = useSession()
  const { administeredBuyers: buyers } = me
  const buyer = buyers.find((url) => idOf(url) === query.get('buyer')) ?? buyers[0]
  const name = partyOf(buyer ?? '')?.name ?? ''
  const page = pageIn(query)
  const [q, seller] = [query.get('q') ?? '', query.get('seller') ?? '']
  const call = useApi(
    async (session, signal) => buyer && loadItems(session, { buyer, seller, q, page }, signal),
    [buyer, seller, q, page]
  )
  const data = call.data || undefined
  const choose = (more: Readonly<Record<string, string>>) => {
    const { page: _, ...others } = Object.fromEntries(query)
    replaceQuery([], { ...others, ...more })
  }
  const title = deskText('orderable')
  if (!buyer)
    return (
      <>
        <ViewHead title={title} />
        <div class="card empty">
          <p>{deskText('noBuyers')}</p>
          <DeskLink to={['parties']} class="button quiet">
            {deskText('parties')}
          </DeskLink>
        </div>
      </>
    )
  return (
    <>
      <ViewHead title={title} tabTitle={joined(' · ', title, name)} isLoaded={data !== undefined}>
        {data && <p class="soft">{deskText('orderableFor', { buyer: name, count: data.count })}</p>}
      </ViewHead>
      <div class="card">
        <div class="filter">
          <SearchForm key={q} label="searchItems" to={[]} query={query} />
          {buyers.length > 1 && (
            <Choices
              label={deskText('buyer')}
              value={idOf(buyer)}
              choices={buyers.map((url) => [idOf(url), partyOf(url)?.name ?? ''])}
              onChoose={(id) => choose({ buyer: id })}
            />
          )}
          {data && data.sellers.length > 1 && (
            <Choices
              label={deskText('seller')}
              value={seller}
              choices={[
                ['', deskText('allSellers')],
                ...data.sellers.map(({ id, name }) => [id, name] as const)
              ]}
              onChoose={(id) => choose({ seller: id })}
            />
          )}
        </div>
        <Loaded call={{ ...call, data }}>
          {({ items, hasNext, sellers }) =>
            items.length > 0 ? (
              <>
                <ItemTable
                  key={`${buyer} ${seller} ${q} ${page}`}
                  {...{ items, buyer, name, reload: call.reload }}
                />
                <Pager to={[]} query={query} count={items.length} hasNext={hasNext} />
              </>
            ) : (
              <div class="empty">
                <p role="status">
                  {sellers.length === 0
                    ? deskText('noSellers', { buyer: name })
                    : deskText(q ? 'noItemsMatch' : 'noItemsHere', { q })}
                </p>
                <DeskLink
                  to={sellers.length === 0 ? ['contracts'] : q ? [] : ['catalogues']}
                  class="button quiet"
                >
                  {deskText(sellers.length === 0 ? 'contracts' : q ? 'showAll' : 'catalogues')}
                </DeskLink>
              </div>
            )
          }
        </Loaded>
      </div>
    </>
  )
}

interface ItemTableProps {
  items: readonly OrderableItem[]
  buyer: string
  /** The name of the buyer. */
  name: string
  reload(): void
}

/** Items with their switches. Several are allowed at once: all or none. */
function ItemTable({ items, buyer, name, reload }: ItemTableProps) {
  const { catalogue } = useSession().client
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const [busy, setBusy] = useState<readonly OrderableItem[]>([])
  const selected = items.filter(({ url }) => chosen.has(url))

  /** Puts items on the buyer's white list, or takes them off. Returns the items as they are then. */
  async function write(wanted: readonly OrderableItem[], isAllowed: boolean) {
    const failed = new Map<string, string>()
    const done: OrderableItem[] = []
    const fail = (each: OrderableItem, text: string | undefined) => text && failed.set(each.url, text)
    if (isAllowed)
      await catalogue.createWhiteLists(wanted.map(({ url }) => ({ buyer, item: url }))).then(
        (entries) => done.push(...wanted.map((each, at) => ({ ...each, entry: entries[at]?.id }))),
        (error) => {
          for (const [at, text] of entryErrorsOf(error, wanted.length).entries())
            fail(wanted[at] as OrderableItem, text)
        }
      )
    else
      for (const each of wanted)
        await catalogue.deleteWhiteList(each.entry ?? '').then(
          () => done.push({ ...each, entry: undefined }),
          (error) => fail(each, entryErrorsOf(error, 1)[0])
        )
    return { failed, done }
  }

  async function change(wanted: readonly OrderableItem[], isAllowed: boolean, isUndo = false) {
    if (busy.length > 0 || wanted.length === 0) return
    setBusy(wanted)
    const { failed, done } = await write(wanted, isAllowed)
    setErrors(failed)
    setBusy([])
    reload()
    const [first, ...others] = done
    if (!first) return
    setChosen(new Set())
    const what = others.length > 0 ? deskText('itemCount', { count: done.length }) : first.item.name
    showToast(
      `✓ ${deskText(isAllowed ? 'nowAllowed' : 'nowDisallowed', { buyer: name, what })}`,
      isUndo ? undefined : () => change(done, !isAllowed, true)
    )
  }

  const select = (urls: readonly string[], isSelected: boolean) => {
    const next = new Set(chosen)
    for (const url of urls) isSelected ? next.add(url) : next.delete(url)
    setChosen(next)
  }
  const rows = items.map((each) => {
    const { item, url, entry, seller, list } = each
    const isAllowed = entry !== undefined
    const error = errors.get(url)
    return [
      <input
        key={url}
        type="checkbox"
        aria-label={deskText('selectLine', { line: item.name })}
        checked={chosen.has(url)}
        onChange={({ currentTarget }) => select([url], currentTarget.checked)}
      />,
      <>
        <b>{item.name}</b>
        <small>
          {joined(' · ', item.manufacturer, item.model, item.identifiers[0]?.value, item.description)}
        </small>
        {item.status !== 'AVAILABLE' && <span class="tag amber">{deskText(item.status)}</span>}
      </>,
      <>
        {seller?.name}
        <small>{joined(', ', list?.name, list?.status.code !== 'ACTIVE' && list?.status.display)}</small>
      </>,
      <>
        <button
          type="button"
          role="switch"
          class="switch"
          aria-checked={isAllowed}
          aria-label={`${deskText('mayBeOrdered')}: ${item.name}`}
          aria-busy={busy.includes(each)}
          onClick={() => change([each], !isAllowed)}
        >
          <i /> {deskText(isAllowed ? 'yes' : 'no')}
        </button>
        {error && (
          <p class="error" role="alert">
            ✗ {error}
          </p>
        )}
      </>
    ]
  })
  return (
    <>
      <div class="bulk">
        <label>
          <input
            type="checkbox"
            checked={selected.length === items.length}
            onChange={({ currentTarget }) =>
              select(
                items.map(({ url }) => url),
                currentTarget.checked
              )
            }
          />
          {deskText('selectAll')}
        </label>
        <span role="status">{selected.length > 0 && deskText('selected', { count: selected.length })}</span>
        {([true, false] as const).map((isAllowed) => {
          const wanted = selected.filter(({ entry }) => (entry === undefined) === isAllowed)
          return (
            wanted.length > 0 && (
              <button
                type="button"
                key={String(isAllowed)}
                class="quiet"
                aria-busy={busy.length > 0}
                onClick={() => change(wanted, isAllowed)}
              >
                {`${deskText(isAllowed ? 'allow' : 'disallow')} (${wanted.length})`}
              </button>
            )
          )
        })}
      </div>
      <DataTable
        isPlain
        label={deskText('orderable')}
        heads={['✓', ...(['item', 'seller', 'mayBeOrdered'] as const).map((key) => deskText(key))]}
        rows={rows}
      />
    </>
  )
}
