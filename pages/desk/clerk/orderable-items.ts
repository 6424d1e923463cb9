import {
  type Catalogue,
  type CatalogueItem,
  idOf,
  type Party
} from '../../../clients/typescript/src/index.js'
import { readList } from '../../parts/list.js'
import { today } from '../../parts/texts.js'
import { PAGE_SIZE, pageOf, pageWithin } from '../lists/pager.js'
import type { Session } from '../session.js'

/** An item, and whether it is on the white list of a buyer. */
export interface OrderableItem {
  item: CatalogueItem
  url: string
  seller: Party | undefined
  list: Catalogue | undefined
  /** The id of the entry in the white list; undefined without an entry. */
  entry: string | undefined
}

interface Wanted {
  buyer: string
  /** The id of the only seller; without it all sellers with a contract. */
  seller: string
  q: string
  page: number
}

/** A page of the items of all sellers that have a contract in force with a buyer. */
export async function loadItems(session: Session, { buyer, seller, q, page }: Wanted, signal: AbortSignal) {
  const { client, partyOf, urlOf } = session
  const [contracts, entries] = await Promise.all([
    readList((limit) => client.order.listContract({ buyer, validOn: today(), limit }, { signal })),
    readList((limit) => client.catalogue.listWhiteList({ buyer, limit }, { signal }))
  ])
  const entryOf = new Map(entries.entries.map(({ item, id }) => [item, id]))
  const urls = [...new Set(contracts.entries.map((each) => each.seller))]
  const parties = urls.map(async (url) => partyOf(url) ?? (await client.order.getParty(idOf(url))).data)
  const only = urls.filter((url) => idOf(url) === seller)
  const found = await Promise.all(
    (only.length > 0 ? only : urls).map(async (url) => {
      const wanted = { seller: url, ...(q && { q }) }
      const items = await readList(
        (limit) => client.catalogue.listCatalogueItem({ ...wanted, limit }, { signal }),
        page * PAGE_SIZE
      )
      const lists = await readList((limit) =>
        client.catalogue.listCatalogue({ seller: url, limit }, { signal })
      )
      return { items, lists }
    })
  )
  const sellers = await Promise.all(parties)
  const lists = new Map(found.flatMap(({ lists }) => lists.entries).map((each) => [each.id, each]))
  const items = merged(found.map(({ items }) => items.entries))
  const shown = pageWithin(page, items.length)
  return {
    buyer,
    name: partyOf(buyer)?.name ?? '',
    sellers,
    /** The number of items on the white list of the buyer, of all sellers. */
    count: entryOf.size,
    page: shown,
    hasNext: items.length > shown * PAGE_SIZE || found.some(({ items }) => items.next !== undefined),
    items: pageOf(items, shown).map((item): OrderableItem => {
      const url = urlOf.item(item)
      const seller = sellers.find(({ id }) => id === idOf(item.seller ?? url))
      return { item, url, seller, list: lists.get(idOf(item.catalogue)), entry: entryOf.get(url) }
    })
  }
}

/** The items of several lists by name. The order within each list stays that of the server. */
function merged(lists: readonly (readonly CatalogueItem[])[]): CatalogueItem[] {
  const left = lists.map((list) => [...list])
  const all: CatalogueItem[] = []
  for (;;) {
    const [first] = left
      .filter((list) => list.length > 0)
      .sort(([one], [other]) => (one?.name ?? '').localeCompare(other?.name ?? '', 'da'))
    const item = first?.shift()
    if (!item) return all
    all.push(item)
  }
}
