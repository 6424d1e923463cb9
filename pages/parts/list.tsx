import type { Page, Pages } from '../../clients/typescript/src/index.js'
import { partsText } from './parts-texts.js'

/** The entries of the first pages of a list, as one page. */
export interface ListPart<T> extends Pick<Page<T>, 'entries' | 'expanded' | 'next' | 'totalCount'> {
  /** The page of the server, if there is only one page. */
  page?: Page<T> | undefined
}

/** Entries of the largest page that the server sends. */
const MAX_LIMIT = 1000

/**
 * Reads whole pages of a list, until there are this many entries; by default all.
 * @param known a result of an earlier call. The function returns it again while its page has not
 * changed.
 */
export async function readList<T>(
  listOf: (limit: number) => Pages<T>,
  count = Number.POSITIVE_INFINITY,
  known?: ListPart<T>
): Promise<ListPart<T>> {
  const pages: Page<T>[] = []
  let size = 0
  for await (const page of listOf(Math.min(count, MAX_LIMIT)).pages(known?.page)) {
    if (known && page === known.page) return known
    pages.push(page)
    size += page.entries.length
    if (size >= count) break
  }
  return {
    entries: pages.flatMap(({ entries }) => entries),
    expanded: Object.assign({}, ...pages.map(({ expanded }) => expanded)),
    next: pages.at(-1)?.next,
    totalCount: pages[0]?.totalCount,
    page: pages.length === 1 ? pages[0] : undefined
  }
}

/** Sorts by name, as in Danish. */
export const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name, 'da')

/** Groups entries with the same key, in the order of the first entry of each group. */
export function groupsOf<T>(entries: readonly T[], keyOf: (entry: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const entry of entries) {
    const group = groups.get(keyOf(entry))
    if (group) group.push(entry)
    else groups.set(keyOf(entry), [entry])
  }
  return [...groups.values()]
}

/**
 * Shows how many entries of a list are visible, with a button for more. Renders nothing if all
 * entries are visible.
 */
export function ListEnd(props: { page: Omit<ListPart<unknown>, 'expanded'>; onMore(): void }) {
  const { entries, next, totalCount } = props.page
  if (next === undefined) return null
  const values = { shown: entries.length, total: shownCount(totalCount) }
  return (
    <div class="row">
      <span role="status">{partsText(totalCount === undefined ? 'firstShown' : 'someShown', values)}</span>
      <button type="button" class="quiet" onClick={props.onMore}>
        {partsText('showMore')}
      </button>
    </div>
  )
}

/** A count of the server: a number, or `10000+`. */
const shownCount = (count = '') => (Number.isNaN(Number(count)) ? count : Number(count))
