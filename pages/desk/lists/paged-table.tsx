import type { ComponentChildren } from 'preact'
import type { DeskTextKey } from '../desk-texts.js'
import { RowTable } from '../row-table.js'
import { PAGE_SIZE, Pager, pageIn, pageOf } from './pager.js'

interface PagedTableProps<T> {
  label: DeskTextKey
  heads: readonly DeskTextKey[]
  entries: readonly T[]
  rowOf(entry: T): readonly ComponentChildren[]
  /** The route, whose query names the page. */
  to: readonly string[]
  query: URLSearchParams
  /** What is shown without entries. */
  children: ComponentChildren
}

/** A page of entries that are all there, as a table. */
export function PagedTable<T>(props: PagedTableProps<T>) {
  const { label, heads, entries, rowOf, to, query, children } = props
  const shown = pageOf(entries, pageIn(query))
  if (entries.length === 0) return <>{children}</>
  return (
    <>
      <RowTable label={label} heads={heads} rows={shown.map(rowOf)} />
      <Pager
        to={to}
        query={query}
        count={shown.length}
        total={entries.length}
        hasNext={entries.length > pageIn(query) * PAGE_SIZE}
      />
    </>
  )
}
