import type { ComponentChildren } from 'preact'
import { DataTable } from '../../parts/table.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'

export const PAGE_SIZE = 25

/** The last page that a route can name: a page is read with all pages before it. */
const MAX_PAGE = 1000

/** The page that a route names, from 1. */
export const pageIn = (query: URLSearchParams): number =>
  Math.min(MAX_PAGE, Math.max(1, Math.trunc(Number(query.get('page')) || 1)))

/** The entries of a page in the first entries of a list. */
export const pageOf = <T,>(entries: readonly T[], page: number): T[] =>
  entries.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)

/** The page to show: the last one where the list ends earlier, as it may have become shorter. */
export const pageWithin = (page: number, count: number): number =>
  Math.min(page, Math.max(1, Math.ceil(count / PAGE_SIZE)))

interface PagerProps {
  to: readonly string[]
  query: URLSearchParams
  page: number
  /** The number of entries on this page. */
  count: number
  /** The number of all entries, if the server knows it. */
  total?: string | number | undefined
  hasNext: boolean
}

/** Says which entries are shown, with links to the pages before and after. */
export function Pager({ to, query, page, count, total, hasNext }: PagerProps) {
  const from = (page - 1) * PAGE_SIZE
  const last = from + count
  const turn = (by: number, text: 'previous' | 'next') => (
    <DeskLink to={to} query={{ ...Object.fromEntries(query), page: String(page + by) }} class="button quiet">
      {deskText(text)}
    </DeskLink>
  )
  return (
    <div class="pager">
      <span role="status">
        {hasNext && total === undefined
          ? `${from + 1}–${last}`
          : deskText('pageOf', { from: from + 1, to: last, total: total ?? last })}
      </span>
      {page > 1 && turn(-1, 'previous')}
      {hasNext && turn(1, 'next')}
    </div>
  )
}

interface PagedTableProps<T> extends Pick<PagerProps, 'to' | 'query'> {
  table: Omit<Parameters<typeof DataTable>[0], 'rows'>
  entries: readonly T[]
  rowOf(entry: T): readonly ComponentChildren[]
}

/** A page of entries that are all loaded, as a table. */
export function PagedTable<T>({ table, entries, rowOf, ...route }: PagedTableProps<T>) {
  const page = pageWithin(pageIn(route.query), entries.length)
  const shown = pageOf(entries, page)
  return (
    <>
      <DataTable {...table} rows={shown.map(rowOf)} />
      {shown.length > 0 && (
        <Pager
          {...route}
          page={page}
          count={shown.length}
          total={entries.length}
          hasNext={entries.length > page * PAGE_SIZE}
        />
      )}
    </>
  )
}
