import type { ComponentChildren } from 'preact'

interface DataTableProps {
  label: string
  heads: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
  /** A text instead of a table without rows, and the action of the user. */
  none?: string
  instead?: ComponentChildren
  /** A wide table scrolls in its own region, and names each cell on narrow pages. */
  isWide?: boolean
  /** The text above the heads of each printed page. */
  pageHead?: ComponentChildren
}

/**
 * A table. Roles are explicit: narrow pages show rows as blocks, and some browsers then drop the
 * table semantics.
 */
export function DataTable({ label, heads, rows, none, instead, isWide = false, pageHead }: DataTableProps) {
  if (rows.length === 0 && none !== undefined)
    return (
      <div class={none && 'empty'}>
        <p role="status">{none}</p>
        {instead && <p class="row centred">{instead}</p>}
      </div>
    )
  const table = (
    <table role="table" aria-label={label}>
      <thead role="rowgroup">
        {pageHead && (
          <tr class="paper" role="row">
            <td role="cell" colSpan={heads.length}>
              {pageHead}
            </td>
          </tr>
        )}
        <tr role="row">
          {heads.map((head) => (
            <th key={head} scope="col" role="columnheader">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((cells, row) => (
          <tr key={row} role="row">
            {cells.map((cell, at) => (
              <td key={heads[at]} role="cell" data-head={heads[at]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  return isWide ? (
    <section class="wide" tabindex={0} aria-label={label}>
      {table}
    </section>
  ) : (
    table
  )
}
