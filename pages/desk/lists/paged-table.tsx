import type { ComponentChildren } from 'preact'
import { DataTable } from '../../parts/table.js'
import { PAGE_SIZE, Pager, type PagerProps, pageIn, pageOf } from './pager.js'

interface PagedTableProps<T> extends Pick<PagerProps, 'to' | 'query'> {
  table: Omit<Parameters<typeof DataTable>[0], 'rows'>
  entries: readonly T[]
  rowOf(entry: T): readonly ComponentChildren[]
}

/** A page of entries that are all there, as a table. */
export function PagedTable<T>({ table, entries, rowOf, ...route }: PagedTableProps<T>) {
  const page = pageIn(route.query)
  const shown = pageOf(entries, page)
  return (
    <>
      <DataTable isPlain {...table} rows={shown.map(rowOf)} />
      {shown.length > 0 && (
        <Pager
          {...route}
          count={shown.length}
          total={entries.length}
          hasNext={entries.length > page * PAGE_SIZE}
        />
      )}
    </>
  )
}
